import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import { toDialect } from '../../../state/kernel/shape/dialect.ts'
import { bool, type StructShape } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { PlatformDialect } from '../dialect.ts'

/** The media type of every body (2-platform-decisions.md section 1.2). */
export const mediaType = 'application/vnd.api+json'

/** A link from one resource to another. */
export interface Relationship {
  readonly data?: ResourceIdentifier | readonly ResourceIdentifier[] | null
  readonly links?: { readonly related: string }
}

/** What names a resource. */
export interface ResourceIdentifier {
  readonly id: string
  readonly type: string
}

/** A resource as documents hold it; attributes by the specification's names. */
export interface Resource extends ResourceIdentifier {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, Relationship>>
  readonly links?: Readonly<Record<string, string | null>>
}

/**
 * A resource in the words of a dialect: its type, and names and words of its attributes. Ids are the
 * world's own.
 */
export function inDialect(
  resource: Resource,
  attributes: StructShape,
  dialect: PlatformDialect,
): Resource {
  return {
    ...resource,
    type: dialect.out('type', resource.type),
    // Attributes are an object in every dialect.
    attributes: toDialect(resource.attributes, attributes, dialect.name) as Resource['attributes'],
  }
}

/** The schema of a resource, for replies in either dialect, by the shape of its attributes. */
export function resourceSchema(
  type: string,
  attributes: StructShape,
  more: { readonly relationships?: JsonSchema; readonly links?: JsonSchema } = {},
): JsonSchema {
  const { relationships, links } = more
  const neutral = storedSchema(attributes)
  const vendor = storedSchema(attributes, 'vendor')
  const parts = {
    id: { type: 'string' },
    type: { const: type },
    attributes: isDeepStrictEqual(neutral, vendor) ? neutral : { anyOf: [neutral, vendor] },
    ...(relationships === undefined ? {} : { relationships }),
    ...(links === undefined ? {} : { links }),
  }
  return {
    type: 'object',
    required: Object.keys(parts),
    additionalProperties: false,
    properties: parts,
  }
}

/** Any failure: JSON:API error objects (2-platform-decisions.md section 1.3). */
export const failureSchema: JsonSchema = {
  type: 'object',
  required: ['errors'],
  additionalProperties: false,
  properties: {
    errors: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['status', 'title'],
        additionalProperties: false,
        properties: {
          status: { type: 'string', pattern: '^[45]\\d\\d$' },
          title: { type: 'string' },
          detail: { type: 'string' },
          source: {
            type: 'object',
            required: ['pointer'],
            additionalProperties: false,
            properties: { pointer: { type: 'string' } },
          },
        },
      },
    },
  },
}

/** The schema of a document with one resource. */
export function documentOf(resource: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['data'],
    additionalProperties: false,
    properties: { data: resource },
  }
}

/** The schema of a document with resources that are not in pages. */
export function wholeListOf(resource: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['data'],
    additionalProperties: false,
    properties: { data: { type: 'array', items: resource } },
  }
}

/** The schema of `links` with nothing but the resource's own address. */
export const selfSchema = {
  type: 'object',
  required: ['self'],
  additionalProperties: false,
  properties: { self: { type: 'string' } },
} as const satisfies JsonSchema

/** The schema of a relationship that only says where the related resource is. */
export const linkSchema = {
  type: 'object',
  required: ['links'],
  additionalProperties: false,
  properties: {
    links: {
      type: 'object',
      required: ['related'],
      additionalProperties: false,
      properties: { related: { type: 'string' } },
    },
  },
} as const satisfies JsonSchema

/** The schema of what names a resource. */
export function identifierOf(type: string): JsonSchema {
  return {
    type: 'object',
    required: ['id', 'type'],
    additionalProperties: false,
    properties: { id: { type: 'string' }, type: { const: type } },
  }
}

/** The schema of a relationship to one resource, which is named and, maybe, linked to. */
export function relationOf(type: string): JsonSchema {
  return {
    type: 'object',
    required: ['data'],
    additionalProperties: false,
    properties: { data: identifierOf(type), links: linkSchema.properties.links },
  }
}

/** The same where it is always linked to. */
export function relatedTo(type: string): JsonSchema {
  return { ...relationOf(type), required: ['data', 'links'] }
}

/** An object of exactly these members, each true or false. */
export function flags(names: readonly string[]): StructShape {
  return struct(Object.fromEntries(names.map((name) => [name, bool])))
}

const link = { type: ['string', 'null'] } as const
const count = { type: 'integer' } as const
const countOrNull = { type: ['integer', 'null'] } as const

/** The schema of a page of resources (2-platform-decisions.md section 1.7). */
export function listOf(resource: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['data', 'links', 'meta'],
    additionalProperties: false,
    properties: {
      data: { type: 'array', items: resource },
      links: {
        type: 'object',
        required: ['self', 'first', 'prev', 'next', 'last'],
        additionalProperties: false,
        properties: { self: link, first: link, prev: link, next: link, last: link },
      },
      meta: {
        type: 'object',
        required: ['pagination'],
        properties: {
          pagination: {
            type: 'object',
            required: [
              'current-page',
              'page-size',
              'prev-page',
              'next-page',
              'total-pages',
              'total-count',
            ],
            additionalProperties: false,
            properties: {
              'current-page': count,
              'page-size': count,
              'prev-page': countOrNull,
              'next-page': countOrNull,
              'total-pages': count,
              'total-count': count,
            },
          },
        },
      },
    },
  }
}
