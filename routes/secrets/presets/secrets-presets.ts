import { quoteGo } from '../../../state/go/text.ts'
import { bool, name, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { heldLeases, revokeHeldLeases } from '../../../state/secrets/leases/leases.ts'
import { findToken, type Token } from '../../../state/secrets/tokens/rows.ts'
import { parseMilliseconds } from '../../faults/declare/latency.ts'
import { answers, definePreset, noParameters, type Preset } from '../../faults/declare/preset.ts'
import { InputError } from '../../http/declare/validate.ts'
import type { RequestRecord } from '../../http/journal-hooks/request-record.ts'
import { sentToken } from '../../journal/record-values.ts'
import { enginePresets, quotaPath } from './engine-presets.ts'
import { engineKind, engineMounts, replicationKind } from './preset-transitions.ts'

const service = 'secrets'

/** Paths below `/v1/` that the rate limit preset does not refuse. */
const rateLimitExemptPaths: ReadonlySet<string> = new Set([
  'sys/health',
  'sys/seal-status',
  'sys/unseal',
])

/**
 * Returns the value of the header `name` with the prefix of either dialect; undefined if the
 * request has neither header.
 */
function header({ headers }: RequestRecord, name: string): string | undefined {
  return [headers[`x-secrets-${name}`] ?? headers[`x-vault-${name}`]].flat()[0]
}

/** Returns the token of a request if the token holds leases; otherwise undefined. */
function leaseHolder(record: RequestRecord): Token | undefined {
  const token = findToken(record.world, sentToken(record) ?? '')
  return token !== undefined && heldLeases(record.world, token).length > 0 ? token : undefined
}

function forceNode(to: string) {
  return { pushes: [{ kind: 'secrets.node', id: 'self', to }] }
}

/**
 * Returns `mount` if it is the path of a versioned key-value engine of the root namespace. Throws
 * an `InputError` for any other path.
 */
function requireEngine(world: World, mount: string): string {
  const paths = engineMounts(world).map(({ path }) => path)
  if (paths.includes(mount)) return mount
  throw new InputError([
    `/mount is not a versioned key-value engine; there are ${paths.join(', ')}`,
  ])
}

export const secretsPresets: readonly Preset[] = [
  definePreset({
    name: 'secrets-index-behind',
    summary:
      'The node has not reached the `X-Secrets-Index` that a request requires: the first requests for each required index return 412. Writes return their index.',
    vendorSummary:
      'The node has not reached the `X-Vault-Index` that a request requires: several answers of 412 for each required index. Writes return their index.',
    service,
    parameters: struct({
      answers: answers(
        3,
        'Number of requests for an index that are refused before the node reaches the index',
      ),
    }),
    source: 'behaviour/secrets#index-headers',
    effect: {
      appliesTo: (record) =>
        header(record, 'index') !== undefined &&
        header(record, 'inconsistent') !== 'forward-active-node',
      group: (record) => String(header(record, 'index')),
    },
    apply: ({ parameters }) => ({
      options: { secrets: { indexHeaders: true } },
      faults: [
        {
          when: { first: parameters.answers },
          action: { status: 412, errors: ['required index state not present'] },
        },
      ],
    }),
  }),
  definePreset({
    name: 'secrets-sealed',
    summary: 'The node is sealed: 503 from nearly every path until it is unsealed.',
    service,
    parameters: noParameters,
    source: 'behaviour/secrets#api-health',
    apply: () => forceNode('sealed'),
  }),
  definePreset({
    name: 'secrets-standby',
    summary: 'The node is a standby: health answers 429, or 473 for a performance standby.',
    service,
    parameters: struct({
      performance: withDefault(described(bool, 'A performance standby (enterprise)'), false),
    }),
    source: 'behaviour/secrets#api-health',
    apply: ({ parameters }) =>
      forceNode(parameters.performance ? 'performance-standby' : 'standby'),
  }),
  definePreset({
    name: 'secrets-dr-secondary',
    summary:
      'The cluster is a DR secondary without a primary: 472 from health, 400 from nearly every other path.',
    service,
    parameters: noParameters,
    source: 'behaviour/secrets#dr-gate',
    forces: replicationKind,
    apply: () => ({ pushes: [{ kind: replicationKind.kind, id: 'dr', to: 'secondary' }] }),
  }),
  definePreset({
    name: 'secrets-kv-upgrading',
    summary: 'A key-value engine is being upgraded to version 2: 400 for all of its paths.',
    service,
    parameters: struct({
      mount: withDefault(described(name, 'Path of the engine'), 'secret/'),
      duration: withDefault(
        described(text, "Go duration on the world's clock; empty means until the preset is undone"),
        '',
      ),
    }),
    source: 'behaviour/secrets#kv2',
    forces: engineKind,
    apply({ world, parameters: { mount, duration } }) {
      const id = requireEngine(world, mount)
      if (duration === '') return { pushes: [{ kind: engineKind.kind, id, to: 'upgrading' }] }
      if (parseMilliseconds(duration) === undefined) {
        throw new InputError(['/duration must be a Go duration of at most 10m, as 200ms'])
      }
      return { pushes: [{ kind: engineKind.kind, id, to: 'upgrading', extra: { duration } }] }
    },
  }),
  definePreset({
    name: 'secrets-rate-limited',
    summary:
      'A quota is exhausted: 429 for the first requests, except health and unsealing, which have no quota.',
    service,
    parameters: struct({ answers: answers(5) }),
    source: 'behaviour/secrets#rate-limit',
    effect: {
      appliesTo: (record) => !rateLimitExemptPaths.has(quotaPath(record)),
      complete: (action, record) => ({
        ...action,
        errors: [`request path ${quoteGo(quotaPath(record))}: rate limit quota exceeded`],
      }),
    },
    apply: ({ parameters }) => ({
      faults: [{ when: { first: parameters.answers }, action: { status: 429 } }],
    }),
  }),
  definePreset({
    name: 'secrets-lease-lost',
    summary:
      'All leases of one token end: the token of the first matching request whose token has leases. Renewing these leases returns 400. The leases stay lost.',
    service,
    parameters: noParameters,
    source: 'behaviour/secrets#leases',
    effect: {
      appliesTo: (record) => leaseHolder(record) !== undefined,
      changeWorld(record) {
        const token = leaseHolder(record)
        if (token !== undefined) revokeHeldLeases(record.world, token)
      },
    },
    apply: () => ({ faults: [{ times: 1, action: { latency: '0s' } }] }),
  }),
  definePreset({
    name: 'secrets-orchestrator-down',
    summary:
      'The orchestrator behind the engine `orch` is unreachable: requests for credentials are refused.',
    vendorSummary:
      'The cluster behind the engine `kubernetes` is unreachable: requests for credentials are refused.',
    service,
    parameters: struct({
      how: withDefault(
        described(word('unreachable', 'refused', 'slow'), 'Kind of the failure'),
        'unreachable',
      ),
    }),
    source: 'behaviour/secrets#orch-creds',
    apply: ({ parameters }) => ({ options: { secrets: { orchFault: parameters.how } } }),
  }),
  ...enginePresets,
]
