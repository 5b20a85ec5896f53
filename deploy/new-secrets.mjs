// Makes the secrets of one tools service, all of them fresh: node new-secrets.mjs FOLDER [HOST:PORT of Redis]
//   users.acl   regate.acl and state.users with passwords of its own, of which it has the SHA-256 only
//   proof.key   key of the publisher's proof
//   worker.env, front.env, observer.env, state.env, approver.env   REGATE_REDIS, REGATE_TOOLS_BACKEND and REGATE_SHARED_STATE with users and passwords
//   .env        the passwords alone, for compose.yaml
// Every file is readable by its owner only. Files that are there are not replaced.
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The variable that takes the URL of a user, and whose it is. */
const VARIABLES = {
  producer: ["front.env", "REGATE_TOOLS_BACKEND"],
  worker: ["worker.env", "REGATE_REDIS"],
  observer: ["observer.env", "REGATE_REDIS"],
  state: ["state.env", "REGATE_SHARED_STATE"],
  approver: ["approver.env", "REGATE_SHARED_STATE"],
};
const USERS = Object.keys(VARIABLES);
const [folder, host = "127.0.0.1:6379"] = process.argv.slice(2);
const shipped = ["regate.acl", "state.users"].map((name) => readFileSync(new URL(name, import.meta.url), "utf8")).join("");
const files = freshFiles();
const problem = problemOf();
if (problem === undefined)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600, flag: "wx" });
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 2;
}

function freshFiles() {
  const passwords = Object.fromEntries(USERS.map((user) => [user, randomBytes(32).toString("hex")]));
  const hashOf = (user) => createHash("sha256").update(passwords[user]).digest("hex");
  const urlOf = (user) => `redis://${user}:${passwords[user]}@${host}`;
  const lines = USERS.map((user) => `REGATE_${user.toUpperCase()}_PASSWORD=${passwords[user]}\n`);
  return {
    "users.acl": shipped.replaceAll(/>change-me-(\w+)/g, (_placeholder, user) => `#${hashOf(user)}`),
    "proof.key": `${randomBytes(32).toString("hex")}\n`,
    ...Object.fromEntries(USERS.map((user) => [VARIABLES[user][0], `${VARIABLES[user][1]}=${urlOf(user)}\n`])),
    ".env": lines.join(""),
  };
}

function problemOf() {
  if (folder === undefined || !existsSync(folder)) return "usage: new-secrets.mjs FOLDER [HOST:PORT of Redis]; the folder must be there";
  if (shipped.match(/>\S+/g)?.toString() !== USERS.map((user) => `>change-me-${user}`).toString())
    return "regate.acl or state.users has passwords of its own: use it as it is";
  const there = Object.keys(files).filter((name) => existsSync(join(folder, name)));
  return there.length === 0 ? undefined : `${there.join(", ")} in ${folder}: already there, nothing was changed`;
}
