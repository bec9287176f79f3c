import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { quoteGo } from '../../../state/go/text.ts'
import { bool, int, list, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import {
  configurationOf,
  schedulerConfigurationShape,
} from '../../../state/scheduler/operator/configuration.ts'
import {
  changeConfiguration,
  configurationInputShape,
  requestedConfiguration,
} from '../../../state/scheduler/operator/configuration-changes.ts'
import { collectGarbage } from '../../../state/scheduler/operator/garbage-collection.ts'
import {
  keyMetadata,
  publicKeys,
  publicKeysAge,
  rootKeyRows,
} from '../../../state/scheduler/operator/keyring.ts'
import { refuse } from '../../../state/scheduler/operator/messages.ts'
import { metricsOf, metricsShape } from '../../../state/scheduler/operator/metrics.ts'
import { reconcileSummaries } from '../../../state/scheduler/operator/reconcile-summaries.ts'
import { rootKeyShape } from '../../../state/scheduler/operator/root-keys.ts'
import { deleteKey, rotateKeys } from '../../../state/scheduler/operator/rotation.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { metricName } from '../../../state/scheduler/vendor-names.ts'
import { parameters } from '../../http/declare/parameters.ts'
import type { Query } from '../../http/query.ts'
import { requireManagement, requiresAnyOf, requireUnlabelledRight, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { intError, uintError } from '../query.ts'
import { readData } from '../reads.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#operator' })
const path = '/operator/scheduler/configuration'

export const configurationOperations = [
  operation.get('readSchedulerConfiguration', path, {
    access: requiresAnyOf('operator:read'),
    summary: 'Read the configuration of the scheduler.',
    reply: {
      200: struct('SchedulerConfigurationResponse', {
        SchedulerConfig: schedulerConfigurationShape,
        Index: uint,
        LastContact: int,
        KnownLeader: bool,
        NextToken: text,
      }),
    },
    run({ context }) {
      const { world } = context
      return context.readWithoutWaiting(() => {
        const SchedulerConfig = configurationOf(world)
        const { ModifyIndex: index } = SchedulerConfig
        const KnownLeader = !optionsOf(world).noLeader
        const meta = { Index: index, LastContact: 0, KnownLeader, NextToken: '' }
        return { index, body: { SchedulerConfig, ...meta } }
      })
    },
  }),
  operation.post('writeSchedulerConfiguration', path, {
    access: within(requiresAnyOf('operator:write')),
    summary:
      'Replace the configuration of the scheduler; with `cas`, only if its ModifyIndex matches.',
    query: struct({ cas: uint }),
    body: configurationInputShape,
    bodyError: (why) => refuse('scheduler-configuration-unreadable', { why }),
    reply: { 200: struct('SchedulerSetConfigurationResponse', { Updated: bool, Index: uint }) },
    run({ context, body }) {
      const requested = requestedConfiguration(body())
      const cas = parseCas(context)
      requireUnlabelledRight(context, 'operator:write')
      const { world } = context
      const Updated = changeConfiguration(world, requested, cas)
      return context.writeReplyWithIndex({ Updated })
    },
  }),
]

function parseCas({ query }: SchedulerContext): number | undefined {
  if (!query.has('cas')) return undefined
  const value = query.value('cas') ?? ''
  const why = uintError(value)
  if (why !== undefined) throw refuse('scheduler-cas-unreadable', { value: quoteGo(value), why })
  return Number(value)
}

/** Operations that trigger maintenance work on the servers. */
export const systemOperations = [
  operation.put('collectGarbage', '/system/gc', {
    access: requiresAnyOf('management'),
    summary: 'Delete dead jobs and nodes, and terminal evaluations, allocations and deployments.',
    run: ({ context }) =>
      context.readUnindexed(() => {
        collectGarbage(context.world)
        return undefined
      }),
  }),
  operation.put('reconcileSummaries', '/system/reconcile/summaries', {
    access: requiresAnyOf('management'),
    summary: 'Recompute the summaries of all jobs.',
    run: ({ context }) =>
      context.readUnindexed(() => {
        reconcileSummaries(context.world)
        return undefined
      }),
  }),
]

/** Operations on the keys that encrypt variables and sign workload identities. */
export const keyringOperations = [
  operation.get('listRootKeys', '/operator/keyring/keys', {
    access: requiresAnyOf('management'),
    summary: 'List the keys that encrypt variables and sign identities; can block.',
    reply: { 200: list(rootKeyShape) },
    run: ({ context }) =>
      readData(context, 'root-keys', () => rootKeyRows(context.world).map(keyMetadata)),
  }),
  operation.post('rotateRootKeys', '/operator/keyring/rotate', {
    access: within(requiresAnyOf('management')),
    summary: 'Create a key that becomes active at once or at a later time.',
    query: parameters({
      algo: described(text, 'Algorithm of the key; there is only one'),
      full: described(text, 'Whether to encrypt all variables again'),
      publish_time: described(text, 'Time when the key becomes active, in nanoseconds since 1970'),
    }),
    reply: { 200: struct('KeyringRotateRootKeyResponse', { Key: rootKeyShape, Index: uint }) },
    run({ context }) {
      const { query, world } = context
      const rotation = { full: query.has('full'), publishTime: parsePublishTime(query) }
      requireManagement(context)
      const Key = rotateKeys(world, rotation)
      return context.writeReplyWithIndex({ Key })
    },
  }),
  operation.delete('deleteRootKey', '/operator/keyring/key/:id', {
    access: requiresAnyOf('management'),
    summary: 'Delete a key that is not active; with `force`, also one that is in use.',
    query: parameters({ force: described(text, 'Whether to delete a key that is in use') }),
    failures: [422],
    beforeMethod: parseForce,
    reply: { 200: struct('KeyringDeleteRootKeyResponse', { Index: uint }) },
    run({ context, params: { id } }) {
      const { query, world } = context
      deleteKey(world, id, parseForce(query))
      return context.writeReplyWithIndex({})
    },
  }),
]

function parsePublishTime(query: Query): number {
  const value = query.value('publish_time')
  if (value === undefined) return 0
  const why = intError(value)
  if (why !== undefined) throw refuse('publish-time-unreadable', { value: quoteGo(value), why })
  return Number(value)
}

function parseForce(query: Query): boolean {
  if (!query.has('force')) return false
  const force = parseGoBoolean(query.value('force') ?? '')
  if (force === undefined) throw refuse('force-unreadable')
  return force
}

const leaderlessOperation = operationsOf({
  spec: 'behaviour/scheduler#operator',
  withoutLeader: true,
})

/** Media type of metrics in Prometheus text format. */
const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

export const metricsOperations = [
  leaderlessOperation.get('readMetrics', '/metrics', {
    access: 'anyone',
    summary: 'Return metrics, such as the number of allocations and jobs by status.',
    query: parameters({
      format: described(text, '`prometheus` for the text format of Prometheus'),
    }),
    reply: { 200: metricsShape },
    schema: (dialect) => ({ anyOf: [storedSchema(metricsShape, dialect), { type: 'string' }] }),
    run({ context }) {
      const { dialect, query, world } = context
      const metrics = metricsOf(world)
      if (query.value('format') !== 'prometheus') return context.readUnindexed(() => metrics)
      const described = (Name: string, type: string, linesOf: (name: string) => string[]) => {
        const dialectName = String(dialect.renameMembers(metricName, Name))
        const name = dialectName.replaceAll('.', '_')
        return [`# HELP ${name} ${dialectName}`, `# TYPE ${name} ${type}`, ...linesOf(name)]
      }
      const lines = [
        ...metrics.Gauges.flatMap(({ Name, Value }) =>
          described(Name, 'gauge', (name) => [`${name} ${Value}`]),
        ),
        ...metrics.Counters.flatMap(({ Name, Sum }) =>
          described(Name, 'counter', (name) => [`${name} ${Sum}`]),
        ),
        ...metrics.Samples.flatMap(({ Name, Count, Mean, Sum }) =>
          described(Name, 'summary', (name) => [
            ...[0.5, 0.9, 0.99].map((quantile) => `${name}{quantile="${quantile}"} ${Mean}`),
            `${name}_sum ${Sum}`,
            `${name}_count ${Count}`,
          ]),
        ),
      ]
      const body = Buffer.from(`${lines.join('\n')}\n`)
      return { status: 200, body, headers: { 'content-type': prometheusType } }
    },
  }),
]

/** Path prefix of operations outside of the API's prefix. */
export const wellKnownPrefix = '/.well-known/'

/** Operations at the root of the server with which anybody can verify workload identities. */
export const wellKnownOperations = [
  operation.get('readSigningKeys', '/.well-known/jwks.json', {
    access: 'anyone',
    summary: 'Return the public keys that verify workload identities; can block.',
    reply: {
      200: struct('JSONWebKeySet', {
        keys: list(
          struct('JSONWebKey', { use: text, kty: text, kid: text, alg: text, n: text, e: text }),
        ),
      }),
    },
    run: ({ context }) =>
      context.read(() => ({
        index: dataIndex(context.world, 'root-keys'),
        body: { keys: publicKeys(context.world) },
        maxAge: publicKeysAge(context.world),
      })),
  }),
  operation.get('readOidcConfiguration', '/.well-known/openid-configuration', {
    access: 'anyone',
    summary: 'Refuse: OpenID Connect discovery is disabled, so always 404.',
    failures: [404],
    run() {
      throw refuse('oidc-disabled')
    },
  }),
]
