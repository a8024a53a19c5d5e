// Common helpers of the scripts: clients, sign-up codes, refusals, and mail by SMTP.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentMailClient } from "agentmail";

const url = process.env.INBOXD_URL;
export const connect = (apiKey) => new AgentMailClient({ apiKey, baseUrl: url, maxRetries: 0 });

export async function codeOf(owner) {
  for (let tries = 0; tries < 300; tries++) {
    const log = readFileSync(process.env.INBOXD_LOG, "utf8");
    const line = log.split("\n").find((line) => line.includes(owner) && /code is \d{6}/.test(line));
    if (line) return line.match(/code is (\d{6})/)[1];
    await sleep(100);
  }
  throw new Error(`no code for ${owner}`);
}

export async function refused(kind, status, code, call) {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof kind, `${error.constructor.name} is no ${kind.name}: ${error}`);
    assert.equal(error.statusCode, status, String(error));
    assert.equal(error.body.code, code);
    return true;
  });
}

// Delivers a mail by SMTP; sends each line after the reply to the one before.
export function receive(inbox, subject, messageId) {
  const [host, port] = process.env.INBOXD_SMTP.split(":");
  const mail = [
    "From: Grace <grace@example.net>", `To: ${inbox}`, `Subject: ${subject}`, `Message-ID: ${messageId}`,
    "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b", "",
    "--b", "Content-Type: text/plain; charset=utf-8", "", "Shall we meet at noon?", "",
    "--b", "Content-Type: application/octet-stream", "Content-Transfer-Encoding: base64",
    "Content-Disposition: attachment; filename=\"file.bin\"", "", Buffer.from("binary").toString("base64"), "--b--", ".",
  ].join("\r\n");
  const lines = ["EHLO c", "MAIL FROM:<grace@example.net>", `RCPT TO:<${inbox}>`, "DATA", mail, "QUIT"];
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port });
    let heard = "";
    socket.on("error", reject).on("close", resolve).on("data", (data) => {
      heard += data;
      const end = heard.match(/^(\d)\d\d .*\r\n/m);
      if (!end) return;
      if (end[1] > "3") return reject(new Error(heard));
      heard = "";
      if (lines.length > 0) socket.write(`${lines.shift()}\r\n`);
    });
  });
}
