import { createHash } from 'node:crypto'
import { goMap, int, text, translatedText } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Allocation } from '../cluster/model/allocation-shapes.ts'
import { groupOf } from '../cluster/placement/feasibility.ts'

/**
 * Output of a check. The output begins with the name of the product, which depends on the dialect.
 */
const outputText = translatedText((text) => text.replace(/^sched: /, 'nomad: '))

const resultShape = struct('CheckQueryResult', {
  ID: text,
  Mode: text,
  Status: text,
  StatusCode: optional(int),
  Output: outputText,
  /** Seconds since 1970. */
  Timestamp: int,
  Group: text,
  Task: optional(text),
  Service: text,
  Check: text,
})

/** Results by check ID. */
export const checkResultsShape = goMap(resultShape)

/**
 * Providers whose services are in the scheduler's own catalogue. Job files may use either spelling.
 */
const nativeProviders: ReadonlySet<string> = new Set(['sched', 'nomad'])

/**
 * Returns the results of those checks of an allocation whose services are in the scheduler's own
 * catalogue; null if there are no such checks. A check succeeds if its task runs or, for a service
 * of the group, if the allocation runs.
 */
export function checkResults(
  world: World,
  allocation: Allocation,
): StoredOf<typeof checkResultsShape> {
  const group = groupOf(allocation)
  const services = [
    ...(group?.Services ?? []).map((service) => ({ service, task: '' })),
    ...(group?.Tasks ?? []).flatMap(({ Name, Services }) =>
      (Services ?? []).map((service) => ({ service, task: Name })),
    ),
  ]
  const Timestamp = Math.floor(world.clock.now() / 1000)
  const results = services
    .filter(({ service }) => nativeProviders.has(service.Provider ?? ''))
    .flatMap(({ service, task }) =>
      (service.Checks ?? []).map((check) => {
        const key = [allocation.ID, allocation.TaskGroup, task, service.Name, check.Name]
        const isUp =
          task === ''
            ? allocation.ClientStatus === 'running'
            : allocation.TaskStates?.[task]?.State === 'running'
        const isHttp = check.Type === 'http'
        return {
          ID: createHash('md5').update(key.join(' ')).digest('hex'),
          Mode: check.OnUpdate === 'ignore' ? 'readiness' : 'healthiness',
          Status: isUp ? 'success' : 'pending',
          ...(isUp && isHttp && { StatusCode: 200 }),
          Output: isUp ? `sched: ${isHttp ? 'http' : 'tcp'} ok` : 'sched: waiting to run',
          Timestamp,
          Group: allocation.Name,
          ...(task !== '' && { Task: task }),
          Service: service.Name,
          Check: check.Name,
        }
      }),
    )
  if (results.length === 0) return null
  return Object.fromEntries(results.map((result) => [result.ID, result]))
}
