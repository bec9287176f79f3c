import { any, bool, constant, int, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { namespacesBelow } from '../../../state/secrets/namespaces/namespaces.ts'
import { hasAnyCapabilityUnder } from '../../../state/secrets/policies/acl.ts'
import { resultantAcl } from '../../../state/secrets/policies/resultant.ts'
import { requireCaller } from '../dispatch/caller.ts'
import { bare, data } from '../envelope/outcome.ts'
import { enveloped, keysEnvelope } from '../envelope/schemas.ts'
import { refuse } from '../messages.ts'
import { operationsOf } from '../operation.ts'
import { optionalToken } from './ui-mounts.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#small-endpoints' })

const texts = list(text)
const parameters = map(list(any))

const rightsByPath = map(
  struct({
    capabilities: texts,
    allowed_parameters: optional(parameters),
    denied_parameters: optional(parameters),
    required_parameters: optional(texts),
    min_wrapping_ttl: optional(described(int, 'Seconds')),
    max_wrapping_ttl: optional(described(int, 'Seconds')),
  }),
)

/** Operations that user interfaces call, except those about mounts. */
export const uiInfoOperations = [
  operation.read({
    id: 'listUiNamespaces',
    path: 'internal/ui/namespaces',
    summary: 'Lists the namespaces below that the caller can use.',
    access: 'anyone',
    failures: [403, 500],
    reply: { 200: keysEnvelope },
    run(call) {
      const { world, namespace } = call
      const token = optionalToken(call)
      if (token === undefined) throw refuse('client-token-empty')
      const names = namespacesBelow(world, namespace)
        .filter(({ path }) => hasAnyCapabilityUnder(world, token, path))
        .map(({ path }) => path.slice(namespace.path.length))
      return data({ keys: names.length === 0 ? [''] : names })
    },
  }),
  operation.read({
    id: 'readResultantAcl',
    path: 'internal/ui/resultant-acl',
    summary: 'Reads what all policies of the caller come to.',
    reply: enveloped({
      root: bool,
      exact_paths: optional(rightsByPath),
      glob_paths: optional(rightsByPath),
    }),
    run: (call) => data(resultantAcl(call.world, requireCaller(call))),
  }),
  operation.read({
    id: 'readFeatureFlags',
    path: 'internal/ui/feature-flags',
    summary: 'Reads which features are tried out: none.',
    unenveloped: true,
    access: 'anyone',
    reply: { 200: struct({ feature_flags: constant(null) }) },
    run: () => bare({ feature_flags: null }),
  }),
]
