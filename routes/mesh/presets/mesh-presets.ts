import type { Json } from '../../../state/kernel/json.ts'
import { uint, word } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { answers, definePreset, noParameters, type Preset } from '../../faults/declare/preset.ts'
import type { RequestRecord } from '../../http/journal-hooks/request-record.ts'
import { bodyValue } from '../../journal/record-values.ts'
import { catalogPresets } from './catalog-presets.ts'
import { headerNamesIn } from './read-records.ts'

const service = 'mesh'

/**
 * Returns the entries of a reply that has the status 200, an index header and a list as its body;
 * undefined for any other reply.
 */
function listOf(record: RequestRecord): readonly Json[] | undefined {
  const body = record.status === 200 ? bodyValue(record.responseBody) : undefined
  return Array.isArray(body) && headerNamesIn(record, 'index').length > 0 ? body : undefined
}

/** Suffix of the header that reports filtered results. */
const filteredHeader = 'results-filtered-by-acls'

export const meshPresets: readonly Preset[] = [
  definePreset({
    name: 'mesh-index-reset',
    summary:
      'The index of a read decreases, as after a snapshot was restored: waiting reads return at once, with half of the index or with zero.',
    service,
    parameters: struct({
      to: withDefault(described(word('back', 'zero'), 'New position of the index'), 'back'),
      answers: answers(1, 'Number of reads with a wrong index, before the right one returns'),
    }),
    source: 'behaviour/mesh#index',
    effect: {
      appliesTo: (record) => headerNamesIn(record, 'index').length > 0,
      prepare: ({ query }) => {
        const parameters = query as Record<string, unknown>
        if (parameters['index'] !== undefined) parameters['index'] = '0'
      },
      complete(_action, record, { to }) {
        const { status, responseHeaders, responseBody } = record
        const type = String(responseHeaders['content-type'])
        const indexes = headerNamesIn(record, 'index').map((name) => {
          const index = to === 'zero' ? 0 : Math.floor(Number(responseHeaders[name]) / 2)
          return [name, String(index)]
        })
        return {
          status: Number(status),
          body: String(responseBody),
          headers: { 'content-type': type, ...Object.fromEntries(indexes) },
        }
      },
    },
    apply: ({ parameters }) => ({
      wakesReaders: true,
      faults: [
        { when: { first: parameters.answers }, phase: 'afterCommit', action: { status: 200 } },
      ],
    }),
  }),
  definePreset({
    name: 'mesh-list-filtered',
    summary:
      'Lists omit entries that the caller may not see: `X-Mesh-Results-Filtered-By-ACLs: true`, and fewer entries or an empty list.',
    vendorSummary:
      'Lists omit entries that the caller may not see: `X-Consul-Results-Filtered-By-ACLs: true`, and fewer entries or an empty list.',
    service,
    parameters: struct({
      keep: withDefault(described(uint, 'Number of entries that stay in a list'), 0),
    }),
    source: 'behaviour/mesh#api-namespaces; behaviour/mesh#reads',
    effect: {
      appliesTo: (record) => listOf(record) !== undefined,
      complete(_action, record, { keep }) {
        const list = listOf(record) ?? []
        const remaining = list.slice(0, Number(keep))
        const headerEntries = headerNamesIn(record, 'index').map((name) => [
          name.replace('index', filteredHeader),
          'true',
        ])
        const headers = remaining.length < list.length ? Object.fromEntries(headerEntries) : {}
        return { status: 200, body: remaining, headers }
      },
    },
    apply: () => ({ faults: [{ phase: 'afterCommit', action: { status: 200 } }] }),
  }),
  definePreset({
    name: 'mesh-no-leader',
    summary:
      'The servers have no leader: 500 "No cluster leader" for everything except stale reads, the agent and the status.',
    service,
    parameters: noParameters,
    source: 'behaviour/mesh#agent',
    apply: () => ({ options: { mesh: { noLeader: true } } }),
  }),
  ...catalogPresets,
]
