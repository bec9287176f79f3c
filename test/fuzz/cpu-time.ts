/** CPU time of `referenceWork` on the machine for which the limits of `fuzz` are chosen. */
const referenceMilliseconds = 100

/** Returns the CPU time of this process since `begun`, in milliseconds, in all of its threads. */
export function cpuTimeSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}

/**
 * Returns how many times slower this machine is now than the machine for which the limits of `fuzz`
 * are chosen; at least 1. A machine is slower while other programs use the same cores and caches.
 */
export function currentSlowness(): number {
  const times = Array.from({ length: 3 }, () => {
    const begun = process.cpuUsage()
    referenceWork()
    return cpuTimeSince(begun)
  })
  return Math.max(1, Math.min(...times) / referenceMilliseconds)
}

/**
 * Splits a text into objects, as the parsers of long documents do, whose requests take the longest.
 */
function referenceWork(): number {
  const words = 'name = "value" '.repeat(100_000).matchAll(/\S+/g)
  return Array.from(words, ([text], at) => ({ text, position: { line: at, column: at % 80 } }))
    .length
}
