import { list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { type Deferred, mapResult } from '../../../state/kernel/worlds/deferred.ts'
import {
  reportCapabilities,
  requireQueriedAccessor,
  requireQueriedToken,
} from '../../../state/secrets/policies/capabilities.ts'
import { requireCaller } from '../dispatch/caller.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#policies' })

const pathFields = {
  paths: described(
    list(text),
    'Paths in the namespace; either this field or its old name is required',
  ),
  path: described(list(text), 'Old name of paths'),
} as const

interface PathQuery {
  readonly paths?: readonly string[]
  readonly path?: readonly string[]
}

const requestedPaths = ({ paths = [], path = [] }: PathQuery) => (paths.length > 0 ? paths : path)

const reply = {
  200: envelopeOf(
    described(map(list(text)), 'Capabilities by path. For a single path, also in `capabilities`'),
  ),
}

function capabilitiesOutcome(report: object | Deferred<object>) {
  return mapResult(
    report,
    (data): SecretsOutcome => ({ kind: 'envelope', data, repeatsKeys: true }),
  )
}

export const capabilityOperations: readonly SecretsOperation[] = [
  operation.write('readOwnCapabilities', 'capabilities-self', {
    summary: 'List the capabilities of the calling token on some paths.',
    secrets: { body: ['token'] },
    body: {
      ...pathFields,
      token: described(
        text,
        "Has no effect, because the capabilities are those of the caller's token",
      ),
    },
    reply,
    run: (call) => {
      const { world, namespace, fields } = call
      const caller = () => requireCaller(call)
      return capabilitiesOutcome(
        reportCapabilities(world, namespace, caller, requestedPaths(fields)),
      )
    },
  }),
  operation.write('readTokenCapabilities', 'capabilities', {
    summary: 'List the capabilities of a token on some paths.',
    secrets: { body: ['token'] },
    body: { ...pathFields, token: described(text, 'Token whose capabilities are returned') },
    failures: [500],
    reply,
    run: ({ world, namespace, fields }) => {
      const paths = requestedPaths(fields)
      const token = requireQueriedToken(world, namespace, fields.token ?? '')
      return capabilitiesOutcome(reportCapabilities(world, namespace, token, paths))
    },
  }),
  operation.write('readAccessorCapabilities', 'capabilities-accessor', {
    summary: 'List the capabilities of the token of an accessor on some paths.',
    body: {
      ...pathFields,
      accessor: described(text, 'Accessor of the token whose capabilities are returned'),
    },
    failures: [500],
    reply,
    run: ({ world, namespace, fields }) => {
      const paths = requestedPaths(fields)
      const token = requireQueriedAccessor(world, namespace, fields.accessor ?? '')
      return capabilitiesOutcome(reportCapabilities(world, namespace, token, paths))
    },
  }),
]
