import type { JsonSchema } from '../../../state/kernel/schema.ts'
import { toDialect } from '../../../state/kernel/shape/dialect.ts'
import {
  bool,
  constant,
  type Field,
  int,
  list,
  nullable,
  type Shape,
  type StructShape,
  text,
  textOf,
} from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { JsonText } from '../../http/json-text.ts'
import type { PlatformDialect } from '../dialect.ts'

/** The media type of every body (behaviour/platform#media-types). */
export const mediaType = 'application/vnd.api+json'

/** A link from one resource to another. */
interface Relationship {
  readonly data?: ResourceIdentifier | readonly ResourceIdentifier[] | null
  readonly links?: { readonly related: string }
}

/** A resource's identifier. */
interface ResourceIdentifier {
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
    type: dialect.toWire('type', resource.type),
    // Attributes are an object in every dialect.
    attributes: toDialect(resource.attributes, attributes, dialect.name) as Resource['attributes'],
  }
}

/** A resource as replies hold it, by the shapes of its parts. */
export function resourceShape(
  type: string,
  attributes: Shape,
  extraParts: Readonly<Partial<Record<'relationships' | 'links', StructShape>>> = {},
): StructShape {
  const parts: Readonly<Record<string, Shape>> = {
    id: text,
    type: constant(type),
    attributes,
    ...extraParts,
  }
  return struct(parts)
}

/** Any failure: JSON:API error objects (behaviour/platform#errors). */
export const failureSchema: JsonSchema = storedSchema(
  struct({
    errors: list(
      struct({
        status: textOf({ pattern: '^[45]\\d\\d$' }),
        title: text,
        detail: optional(text),
        source: optional(struct({ pointer: text })),
      }),
      { minItems: 1 },
    ),
  }),
)

/** A document with one resource that is written already. */
export function documentText(resource: string): JsonText {
  return new JsonText(`{"data":${resource}}`)
}

/** A document with one resource. */
export function documentOf(resource: Shape): StructShape {
  return struct({ data: resource })
}

/** A document with more members. */
export function withExtraFields(
  { fields }: StructShape,
  extraParts: Readonly<Record<string, Shape | Field>>,
): StructShape {
  return struct({ ...fields, ...extraParts })
}

/** A document with resources that are not in pages. */
export function unpagedListOf(resource: Shape): StructShape {
  return struct({ data: list(resource) })
}

/** `links` with nothing but the resource's own address. */
export const selfLink = struct({ self: text })

const related = struct({ related: text })

/** A relationship that only says where the related resource is. */
export const linkShape = struct({ links: related })

/** What names a resource of a type. */
export function identifierOf(type: string): StructShape {
  return struct({ id: text, type: constant(type) })
}

/** A relationship to one resource, which is named and, maybe, linked to. */
export function relationOf(type: string): StructShape {
  return struct({ data: identifierOf(type), links: optional(related) })
}

/** The same where it is always linked to. */
export function linkedRelationOf(type: string): StructShape {
  return struct({ data: identifierOf(type), links: related })
}

/** A relationship to several resources, which are named. */
export function relationsOf(type: string): StructShape {
  return struct({ data: list(identifierOf(type)) })
}

/** A relationship to nothing, with a link all the same. */
export const emptyRelation = struct({ data: constant(null), links: related })

/** An object of exactly these members, each true or false. */
export function flags(names: readonly string[]): StructShape {
  return struct(Object.fromEntries(names.map((name) => [name, bool])))
}

const link = nullable(text)
const number = nullable(int)

/** A page of resources (behaviour/platform#pagination). */
export function listOf(resource: Shape): StructShape {
  return struct({
    data: list(resource),
    links: struct({ self: link, first: link, prev: link, next: link, last: link }),
    meta: struct({
      pagination: struct({
        'current-page': int,
        'page-size': int,
        'prev-page': number,
        'next-page': number,
        'total-pages': int,
        'total-count': int,
      }),
    }),
  })
}
