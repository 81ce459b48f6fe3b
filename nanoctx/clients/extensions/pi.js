import { spawnSync } from "node:child_process";

const SCRIPT = "nanoctx-hook";

function call(event, ctx, more) {
  const payload = { session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, ...more };
  const given = { input: JSON.stringify(payload), encoding: "utf8", timeout: 5000 };
  const done = spawnSync(SCRIPT, [event, "--client", "pi"], given);
  return done.status === 0 ? done.stdout.trim() : "";
}

export default function (pi) {
  let source = "";

  pi.on("session_start", (event, ctx) => {
    if (event.reason === "reload") return;
    const goesOn = ctx.sessionManager.getEntries().some((entry) => entry.type === "message");
    source = event.reason === "new" ? "clear" : goesOn ? "resume" : "startup";
  });
  pi.on("before_agent_start", (event, ctx) => {
    const start = source ? call("session-start", ctx, { source }) : "";
    source = "";
    const turn = call("user-prompt-submit", ctx, { prompt: event.prompt });
    const content = [start, turn].filter(Boolean).join("\n\n");
    if (content) return { message: { customType: "nanoctx", content, display: false } };
  });
  pi.on("session_before_compact", (_event, ctx) => {
    call("pre-compact", ctx);
  });
  pi.on("session_compact", () => {
    source = "compact";
  });
  pi.on("session_shutdown", (event, ctx) => {
    if (event.reason === "reload") return;
    call("session-end", ctx, { reason: event.reason === "new" ? "clear" : "exit" });
  });
}
