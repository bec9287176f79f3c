import type { Call, PathRow } from '../operation.ts'
import { bare, type Outcome } from '../outcome.ts'
import { pathsOf } from '../paths.ts'

const path = pathsOf('Extension: the whole document, where the reference server has it')

const fields = {
  generic_mount_paths: {
    type: 'boolean',
    default: false,
    description: 'Make the paths of mounts parameters, for generators of code',
  },
} as const

const reply = {
  200: {
    type: 'object',
    required: ['openapi', 'info', 'paths', 'components'],
    properties: {
      openapi: { type: 'string' },
      info: { type: 'object' },
      paths: { type: 'object' },
      components: { type: 'object' },
    },
    description: 'An OpenAPI 3.0 document',
  },
} as const

type DocumentCall = Call<object, { readonly generic_mount_paths: boolean }>

function document(call: DocumentCall): Outcome {
  return bare(call.process.documentation.service(call, call.fields.generic_mount_paths))
}

/** The whole service's OpenAPI document, as far as the caller can use the service. */
export const openApiPaths: readonly PathRow[] = [
  path('internal/specs/openapi', {
    read: {
      summary: 'Reads the OpenAPI document of every mount that the caller can use.',
      anyToken: true,
      fields,
      reply,
      run: document,
    },
    write: {
      summary: 'Reads the same document by parameters of a body.',
      anyToken: true,
      fields,
      reply,
      run: document,
    },
  }),
]
