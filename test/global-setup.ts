import { execFileSync } from "node:child_process";

/** Builds dist/ once: workers and end-to-end tests run the built JavaScript, as users do. `REGATE_TEST_BUILT=1` says that it is built. */
export default function setup(): void {
  if (process.env["REGATE_TEST_BUILT"] === "1") return;
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
}
