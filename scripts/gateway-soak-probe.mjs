// Loaded into the gateway by gateway-soak.mjs: answers over the channel to its parent how much memory is held after a collection.
process.on("message", () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ heap: heapUsed, external });
});
process.channel?.unref();
