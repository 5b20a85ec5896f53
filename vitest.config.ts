import { defineConfig } from "vitest/config";

// What is polled for comes when it comes, and a time limit is there to end what hangs: no test depends on the speed of the machine.
const shared = { setupFiles: ["test/setup.ts"], environment: "node", expect: { poll: { timeout: 60_000 } }, hookTimeout: 180_000 };

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ["test/global-setup.ts"],
    reporters: process.env["CI"] ? ["default", ["json", { outputFile: "test/.reports/vitest.json" }]] : ["default"],
    projects: [
      { test: { ...shared, name: "unit", include: ["test/**/*.test.ts"], exclude: ["test/e2e/**", "test/laws/**"], testTimeout: 120_000 } },
      { test: { ...shared, name: "laws", include: ["test/laws/**/*.test.ts"], testTimeout: 240_000 } },
      { test: { ...shared, name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 180_000 } },
    ],
  },
});
