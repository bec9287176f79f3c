import { textOf } from './format.ts'
import type { Recorder } from './recorder.ts'

/** Presets that only add delays in real time. */
const skippedPresets = new Set(['any-slow'])

/**
 * Applies each fault preset in turn, and sends requests while it is active and after its removal.
 */
export async function recordPresets(
  recorder: Recorder,
  restore: () => Promise<void>,
  requests: (service: string) => Promise<void>,
): Promise<void> {
  const { body } = await recorder.control('GET', '/faults/presets')
  for (const { name, service } of JSON.parse(textOf(body)).presets) {
    if (skippedPresets.has(name)) continue
    await restore()
    await recorder.control('POST', `/faults/presets/${name}`, {})
    await requests(service)
    await recorder.control('GET', '/faults')
    await recorder.control('GET', '/report')
    await recorder.control('DELETE', `/faults/presets/${name}`)
    await requests(service)
  }
}
