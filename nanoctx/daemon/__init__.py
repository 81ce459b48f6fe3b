"""
The background process: one for all workspaces of a user, so that pages are right without being asked.

Events of the file system only mark what may have changed (`watching`, `debounce`). What did change is told
by reading: growing logs (`transcripts`), pages, HEAD. That makes a workspace want something (`charge`), which
is done by the same verbs that commands use, in a few threads (`crew`). Time comes from the scheduler
(`schedule`). `keeper` ties them together and is the only one that holds state; `process` starts and ends it.
"""
