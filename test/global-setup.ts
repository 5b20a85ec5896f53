import { execFileSync } from "node:child_process";

/** Builds dist/ once: workers and end-to-end tests run the built JavaScript, as users do. */
export default function setup(): void {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
}
