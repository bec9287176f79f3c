import { any, list, map, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import {
  childNamespaces,
  deleteNamespace,
  patchNamespace,
  readNamespace,
  writeNamespace,
} from '../../../state/secrets/namespaces/changes.ts'
import type { Namespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { dataOutcome, emptyWithWarnings, keysOutcome } from '../envelope/outcome.ts'
import { enveloped, envelopeOf, structEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { customPatch, customTexts } from '../fields/custom-metadata.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#namespaces' })

const fields = {
  custom_metadata: described(map(any), 'Metadata of the namespace, with strings as values'),
} as const

const namespaceSchema = struct({
  id: described(text, 'Suffix of the tokens and leases of the namespace'),
  path: described(text, 'Full path of the namespace, with a trailing slash'),
  custom_metadata: map(text),
})

const reply = { 200: envelopeOf(namespaceSchema) }

/** Returns the data of a namespace. The order of the keys is a choice of this project. */
function namespaceData({ id, path, custom_metadata }: Namespace): object {
  return { id, path, custom_metadata }
}

/** Operations on the namespaces below the namespace of the request. */
export const namespaceOperations: readonly SecretsOperation[] = [
  operation.list('listNamespaces', 'namespaces', {
    summary: 'List the namespaces directly below this one.',
    reply: enveloped({ keys: list(text), key_info: map(namespaceSchema) }),
    run: ({ world, namespace }) => {
      const children = childNamespaces(world, namespace)
      const key_info = Object.fromEntries(
        children.map(([name, child]) => [name, namespaceData(child)]),
      )
      return keysOutcome(
        children.map(([name]) => name),
        { key_info },
      )
    },
  }),
  operation.read('readNamespace', 'namespaces/*path', {
    summary: 'Read a namespace.',
    reply,
    run: ({ world, namespace, params }) =>
      dataOutcome(namespaceData(readNamespace(world, namespace, params.path))),
  }),
  operation.write('createNamespace', 'namespaces/*path', {
    summary: 'Create a namespace, or replace the metadata of an existing one.',
    body: fields,
    reply,
    run: ({ world, namespace, params, fields: { custom_metadata = {} } }) => {
      const metadata = customTexts(custom_metadata)
      return dataOutcome(namespaceData(writeNamespace(world, namespace, params.path, metadata)))
    },
  }),
  operation.patch('patchNamespace', 'namespaces/*path', {
    summary: 'Apply a merge patch to the metadata of a namespace.',
    body: fields,
    failures: [415],
    reply,
    run: ({ world, namespace, params, fields: { custom_metadata = {} }, input }) => {
      const patch = input['custom_metadata'] === null ? null : customPatch(custom_metadata)
      return dataOutcome(namespaceData(patchNamespace(world, namespace, params.path, patch)))
    },
  }),
  operation.delete('deleteNamespace', 'namespaces/*path', {
    summary: 'Delete a namespace with everything in it.',
    reply: { 200: union(warningEnvelope, structEnvelope({ status: text })) },
    run({ world, namespace, params }) {
      const warnings = deleteNamespace(world, namespace, params.path)
      if (warnings.length > 0) return emptyWithWarnings(warnings)
      return dataOutcome({ status: 'in-progress' })
    },
  }),
]
