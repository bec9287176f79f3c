import { text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { flappingTransition } from '../../../state/mesh/catalog/flapping.ts'
import { nodeTransition } from '../../../state/mesh/catalog/node-transition.ts'
import { invalidateSession } from '../../../state/mesh/kv/session-transition.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { parseMilliseconds } from '../../faults/declare/latency.ts'
import { answers, definePreset, type Preset } from '../../faults/declare/preset.ts'
import { InputError } from '../../http/declare/validate.ts'
import type { RequestRecord } from '../../http/journal-hooks/request-record.ts'
import { queryOf } from '../../journal/record-values.ts'
import { headerNamesIn, indexIn } from './read-records.ts'

const service = 'mesh'

/** Returns the session for which a request locked a key; undefined for other requests. */
function lockingSession(record: RequestRecord): string | undefined {
  const { acquire } = queryOf(record)
  const isLocked =
    record.operation?.id === 'putKey' && String(record.responseBody).trim() === 'true'
  return isLocked && typeof acquire === 'string' ? acquire : undefined
}

/**
 * Returns the path and query of a read without `index` and `wait`. Repeated reads of one client
 * then have equal targets.
 */
function targetWithoutWait({ target }: RequestRecord): string {
  const [path = '', query = ''] = target.split('?')
  const parameters = query.split('&').filter((each) => !/^(?:index|wait)(?:=|$)/.test(each))
  return `${path}?${parameters.join('&')}`
}

/**
 * Returns the latest earlier answer to the same read with a lower index than this answer. Returns
 * undefined if there is no such answer, if this answer has no index, or if the read has the
 * parameter `consistent`.
 */
function staleAnswer(record: RequestRecord): RequestRecord | undefined {
  const index = indexIn(record)
  if (index === undefined || 'consistent' in queryOf(record)) return undefined
  const target = targetWithoutWait(record)
  const isOlder = (each: RequestRecord) =>
    each.method === record.method &&
    !each.isFaulted &&
    targetWithoutWait(each) === target &&
    (indexIn(each) ?? index) < index
  return [...record.worldRecords.records()].findLast(isOlder)
}

export const catalogPresets: readonly Preset[] = [
  definePreset({
    name: 'mesh-node-failed',
    summary:
      'A node no longer answers the gossip: its check `serfHealth` is critical, and sessions that depend on the check end.',
    service,
    parameters: struct({
      node: withDefault(
        described(text, 'Name of the node; empty means the node of the server'),
        '',
      ),
    }),
    source: 'behaviour/mesh#catalog',
    apply: ({ world, parameters: { node } }) => ({
      pushes: [{ kind: nodeTransition.kind, id: node || optionsOf(world).nodeName, to: 'failed' }],
    }),
  }),
  definePreset({
    name: 'mesh-service-flapping',
    summary:
      "The checks of a service repeatedly turn critical and recover, on the world's clock, until the preset is undone.",
    service,
    parameters: struct({
      service: withDefault(described(text, 'Name of the service; empty means every service'), ''),
      every: withDefault(described(text, 'A Go duration between two changes, at most 10m'), '5s'),
    }),
    source: 'behaviour/mesh#agent-checks',
    forces: flappingTransition,
    apply({ parameters }) {
      const interval = parseMilliseconds(parameters.every)
      if (interval === undefined || interval === 0) {
        throw new InputError(['/every must be a Go duration of at most 10m, as 5s'])
      }
      const { kind } = flappingTransition
      return { pushes: [{ kind, id: parameters.service, to: 'flapping', extra: { interval } }] }
    },
  }),
  definePreset({
    name: 'mesh-session-lost',
    summary:
      'A session ends right after it has locked a key: the lock is gone, though acquiring it was answered with `true`.',
    service,
    parameters: struct({ answers: answers(1, 'Number of sessions that are lost') }),
    source: 'behaviour/mesh#sessions',
    effect: {
      appliesTo: (record) => lockingSession(record) !== undefined,
      changeWorld(record) {
        const session = lockingSession(record)
        if (session !== undefined) invalidateSession(record.world, session)
      },
    },
    apply: ({ parameters }) => ({
      faults: [
        { when: { first: parameters.answers }, phase: 'afterCommit', action: { latency: '0s' } },
      ],
    }),
  }),
  definePreset({
    name: 'mesh-stale-read',
    summary:
      'A server that lags behind answers reads, except consistent ones: the answer before the last change, with its lower index.',
    service,
    parameters: struct({
      lastContact: withDefault(
        described(uint, 'Milliseconds since the server last heard from the leader'),
        30_000,
      ),
    }),
    source: 'behaviour/mesh#consistency',
    effect: {
      appliesTo: (record) => staleAnswer(record) !== undefined,
      complete(action, record, { lastContact }) {
        const stale = staleAnswer(record)
        if (stale === undefined) return action
        const contact = headerNamesIn(record, 'lastcontact')
        return {
          status: 200,
          body: String(stale.responseBody),
          headers: {
            'content-type': String(stale.responseHeaders['content-type']),
            ...Object.fromEntries(
              headerNamesIn(stale, 'index').map((name) => [name, String(indexIn(stale))]),
            ),
            ...Object.fromEntries(contact.map((name) => [name, String(lastContact)])),
          },
        }
      },
    },
    apply: () => ({ faults: [{ phase: 'afterCommit', action: { status: 200 } }] }),
  }),
]
