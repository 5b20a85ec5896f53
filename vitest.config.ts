import { defineConfig } from "vitest/config";

// What is polled for comes when it comes: no test depends on the speed of the machine.
const shared = { setupFiles: ["test/setup.ts"], environment: "node", expect: { poll: { timeout: 30_000 } } };

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ["test/global-setup.ts"],
    reporters: process.env["CI"] ? ["default", ["json", { outputFile: "test/.reports/vitest.json" }]] : ["default"],
    projects: [
      { test: { ...shared, name: "unit", include: ["test/**/*.test.ts"], exclude: ["test/e2e/**", "test/laws/**"], testTimeout: 30_000 } },
      { test: { ...shared, name: "laws", include: ["test/laws/**/*.test.ts"], testTimeout: 120_000 } },
      { test: { ...shared, name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
