// Runs email-reply-parser from npm on the messages in FOLDER/mails; results go to FOLDER/email-reply-parser.js.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import EmailReplyParser from "email-reply-parser";

const folder = process.argv[2];
const out = join(folder, "email-reply-parser.js");
mkdirSync(out, { recursive: true });
for (const name of readdirSync(join(folder, "mails")).filter((name) => name.endsWith(".txt"))) {
  const text = readFileSync(join(folder, "mails", name), "utf8");
  writeFileSync(join(out, name), new EmailReplyParser().parseReply(text));
}
