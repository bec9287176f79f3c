import { any, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { bare, type SecretsOutcome } from '../envelope/outcome.ts'
import { flag } from '../fields/field-kinds.ts'
import { type Call, operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({
  spec: 'Extension: the whole document, where the reference server has it',
  access: 'token',
})

const fields = {
  generic_mount_paths: flag('Make the paths of mounts parameters, for generators of code'),
} as const

const reply = {
  200: described(
    withOthers(
      struct({
        openapi: text,
        info: map(any),
        paths: map(any),
        components: map(any),
      }),
      any,
    ),
    'An OpenAPI 3.0 document',
  ),
} as const

type DocumentCall = Call<object, { readonly generic_mount_paths: boolean }>

function document(call: DocumentCall): SecretsOutcome {
  return bare(call.process.documentation.service(call, call.fields.generic_mount_paths))
}

/** Operations that return the OpenAPI document of everything the caller may use. */
export const openApiOperations: readonly SecretsOperation[] = [
  operation.read({
    id: 'readOpenApi',
    path: 'internal/specs/openapi',
    summary: 'Reads the OpenAPI document of every mount that the caller can use.',
    query: fields,
    reply,
    run: document,
  }),
  operation.write({
    id: 'readOpenApiByBody',
    path: 'internal/specs/openapi',
    summary: 'Reads the same document by parameters of a body.',
    body: fields,
    reply,
    run: document,
  }),
]
