import { any, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { namespacesBelow } from '../../../state/secrets/namespaces/namespaces.ts'
import { mayReach } from '../../../state/secrets/policies/acl.ts'
import { resultantAcl } from '../../../state/secrets/policies/resultant.ts'
import { callerOf } from '../dispatch/caller.ts'
import { bare, data } from '../envelope/outcome.ts'
import { envelopeOf, keysEnvelope } from '../envelope/schemas.ts'
import { operation } from '../operation.ts'
import { refuse } from '../texts.ts'
import { tokenSent } from './ui-mounts.ts'

const spec = '1b-secrets-more-decisions.md section 5'

const texts = storedSchema(list(text))
const parameters = storedSchema(map(list(any)))

const rightsByPath = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['capabilities'],
    additionalProperties: false,
    properties: {
      capabilities: texts,
      allowed_parameters: parameters,
      denied_parameters: parameters,
      required_parameters: texts,
      min_wrapping_ttl: { type: 'integer', description: 'Seconds' },
      max_wrapping_ttl: { type: 'integer', description: 'Seconds' },
    },
  },
} as const

/** What user interfaces ask about their user besides mounts. */
export const uiFactOperations = [
  operation({
    id: 'listUiNamespaces',
    verb: 'read',
    path: 'internal/ui/namespaces',
    summary: 'Lists the namespaces below that the caller can use.',
    spec,
    access: 'anyone',
    failures: [403, 500],
    reply: { 200: keysEnvelope },
    run(call) {
      const { world, namespace } = call
      const token = tokenSent(call)
      if (token === undefined) throw refuse('client-token-empty')
      const names = namespacesBelow(world, namespace)
        .filter(({ path }) => mayReach(world, token, path))
        .map(({ path }) => path.slice(namespace.path.length))
      return data({ keys: names.length === 0 ? [''] : names })
    },
  }),
  operation({
    id: 'readResultantAcl',
    verb: 'read',
    path: 'internal/ui/resultant-acl',
    summary: 'Reads what all policies of the caller come to.',
    spec,
    reply: {
      200: envelopeOf({
        type: 'object',
        required: ['root'],
        additionalProperties: false,
        properties: {
          root: { type: 'boolean' },
          exact_paths: rightsByPath,
          glob_paths: rightsByPath,
        },
      }),
    },
    run: (call) => data(resultantAcl(call.world, callerOf(call))),
  }),
  operation({
    id: 'readFeatureFlags',
    verb: 'read',
    path: 'internal/ui/feature-flags',
    summary: 'Reads which features are tried out: none.',
    spec,
    bare: true,
    access: 'anyone',
    reply: {
      200: {
        type: 'object',
        required: ['feature_flags'],
        additionalProperties: false,
        properties: { feature_flags: { type: 'null' } },
      },
    },
    run: () => bare({ feature_flags: null }),
  }),
]
