/**
 * Loaded into a server before its own code: tells on the channel to its parent what the process has
 * used so far. Between two questions it costs nothing.
 */
process.on('message', (question) => {
  if (question === 'memory') globalThis.gc?.()
  process.send?.(question === 'memory' ? process.memoryUsage() : process.cpuUsage())
})
// Whoever measures may be ended by hand.
process.on('disconnect', () => process.exit())
// A server that has closed must be able to end.
process.channel?.unref()
