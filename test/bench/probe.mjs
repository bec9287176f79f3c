/**
 * Preload script for a measured server: on request, sends the memory or CPU usage of the process to
 * its parent over IPC. The script costs nothing between requests.
 */
process.on('message', (question) => {
  if (question === 'memory') globalThis.gc?.()
  process.send?.(question === 'memory' ? process.memoryUsage() : process.cpuUsage())
})
// Exit with the benchmark, which a user may interrupt.
process.on('disconnect', () => process.exit())
// The channel must not keep a closed server alive.
process.channel?.unref()
