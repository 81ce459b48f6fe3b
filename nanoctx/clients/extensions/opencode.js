import { spawnSync } from "node:child_process";

const SCRIPT = "nanoctx-hook";

export const Nanoctx = async ({ directory }) => {
  const began = new Set();
  const helpers = new Set();
  const texts = new Map();
  const turns = new Map();

  function call(event, session, more) {
    const payload = { session_id: session, cwd: directory, ...more };
    const given = { input: JSON.stringify(payload), encoding: "utf8", timeout: 5000 };
    const done = spawnSync(SCRIPT, [event, "--client", "opencode"], given);
    return done.status === 0 ? done.stdout.trim() : "";
  }

  return {
    event: async ({ event }) => {
      const about = event.properties ?? {};
      if (event.type === "session.created") {
        began.add(about.info.id);
        if (about.info.parentID) helpers.add(about.info.id);
      }
      if (helpers.has(about.sessionID)) return;
      if (event.type === "session.idle") call("stop", about.sessionID);
      if (event.type === "session.compacted") {
        texts.set(about.sessionID, call("session-start", about.sessionID, { source: "compact" }));
      }
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID;
      if (helpers.has(session)) return;
      const prompt = output.parts.map((part) => (part.type === "text" && !part.synthetic ? part.text : ""));
      turns.set(session, call("user-prompt-submit", session, { prompt: prompt.join("\n").trim() }));
    },
    // Each request has its own system prompt: the same text stands in all of a session's.
    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID;
      if (!session || helpers.has(session)) return;
      if (!texts.has(session)) {
        const source = began.has(session) ? "startup" : "resume";
        texts.set(session, call("session-start", session, { source }));
      }
      for (const text of [texts.get(session), turns.get(session)]) if (text) output.system.push(text);
    },
  };
};
