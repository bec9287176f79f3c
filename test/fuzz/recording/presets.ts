import { textOf } from './format.ts'
import type { Recorder } from './recorder.ts'

/** Presets that only need real time. */
const left = new Set(['any-slow'])

/** Applies one preset of faults after the other, with requests while it holds. */
export async function recordPresets(
  recorder: Recorder,
  restore: () => Promise<void>,
  requests: (service: string) => Promise<void>,
): Promise<void> {
  const { body } = await recorder.control('GET', '/faults/presets')
  for (const { name, service } of JSON.parse(textOf(body)).presets) {
    if (left.has(name)) continue
    await restore()
    await recorder.control('POST', `/faults/presets/${name}`, {})
    await requests(service)
    await recorder.control('GET', '/faults')
    await recorder.control('GET', '/report')
    await recorder.control('DELETE', `/faults/presets/${name}`)
    await requests(service)
  }
}
