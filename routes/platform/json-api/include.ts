import { list, type StructShape, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, optional } from '../../../state/kernel/shape/members.ts'
import { refuse } from '../../../state/platform/messages.ts'
import { ok } from '../../http/declare/operation.ts'
import type { PlatformContext } from '../operation.ts'
import { openQuery } from './attributes.ts'
import { documentOf, type Resource, withExtraFields } from './resource.ts'

/** Function that returns the resources that one name in `include` adds for an item. */
type Finder<Item> = (item: Item, context: PlatformContext<unknown>) => readonly Resource[]

/** Resources that one name in `include` adds. */
export interface Inclusion<Item> {
  readonly find: Finder<Item>
  /** Relationship to several resources that has `data` only if they are included. */
  readonly relationship?: string
}

/** Collector of the resources that one reply includes, without duplicates. */
export interface Collector<Item> {
  /**
   * Adds the resources that an item includes. Returns the resource of the item, with `data` in its
   * relationships to included resources.
   */
  add(item: Item, resource: Resource): Resource
  /** Returns the document's member `included`, or an empty object if the query includes nothing. */
  members(): { readonly included?: readonly Resource[] }
}

/** Call of an operation that replies with its subject. */
export interface ReadCall<Item> {
  readonly context: PlatformContext<Item>
  readonly query: { readonly include?: string | undefined }
}

/**
 * Inclusion that never adds resources. `include` accepts the name, but the platform has no such
 * resource that is related to the reply.
 */
export const includesNothing: Inclusion<unknown> = { find: () => [] }

/**
 * Declares the names that `include` accepts for one kind of resource (behaviour/platform#include).
 * `shapes` are the shapes of the included resources.
 */
export function inclusionsOf<Item>(
  inclusions: Readonly<Record<string, Inclusion<Item>>>,
  shapes: readonly [StructShape, ...StructShape[]],
) {
  const names = Object.keys(inclusions)
  const [first, ...others] = shapes
  const parameters = {
    include: described(text, `Names, separated by commas, of: ${names.join(', ')}`),
  }
  const members = {
    included: optional(list(others.length === 0 ? first : union(first, ...others))),
  }
  return {
    query: parameters,
    /** Member `included`, to add to the shape of a reply. */
    shape: members,
    /**
     * Returns `query`, `failures`, `reply` and `run` of an operation that replies with its subject
     * and the included resources.
     */
    readOperation(
      shape: StructShape,
      render: (item: Item, context: PlatformContext<Item>) => Resource,
    ) {
      return {
        query: openQuery(parameters),
        failures: [400],
        reply: { 200: withExtraFields(documentOf(shape), members) },
        run: ({ context, query }: ReadCall<Item>) => {
          const { subject } = context
          return ok(this.document(query.include, context, subject, render(subject, context)))
        },
      }
    },
    /**
     * Returns the document of one rendered item, with the resources that the query asks for. Throws
     * 400 for an unknown name.
     */
    document(
      query: string | undefined,
      context: PlatformContext<unknown>,
      item: Item,
      resource: Resource,
    ) {
      const included = this.read(query, context)
      return { data: included.add(item, resource), ...included.members() }
    },
    /** Returns the collector for the names in `include`. Throws 400 for an unknown name. */
    read(query: string | undefined, context: PlatformContext<unknown>): Collector<Item> {
      const requested = requestedNames(query, names)
      const included = new Map<string, Resource>()
      return {
        add(item, resource) {
          if (requested.size === 0) return resource
          let relationships = resource.relationships
          for (const name of requested) {
            const inclusion = inclusions[name]
            if (inclusion === undefined) continue
            const found = inclusion.find(item, context)
            for (const one of found) included.set(`${one.type}/${one.id}`, one)
            const { relationship } = inclusion
            if (relationship === undefined) continue
            const data = found.map(({ id, type }) => ({ id, type }))
            relationships = {
              ...relationships,
              [relationship]: { data, ...relationships?.[relationship] },
            }
          }
          return relationships === undefined ? resource : { ...resource, relationships }
        },
        members: () => (requested.size === 0 ? {} : { included: [...included.values()] }),
      }
    },
  }
}

/**
 * Returns the names in a query, with hyphens in place of underscores; `a.b` also adds `a`. Throws
 * 400 for an unknown name.
 */
function requestedNames(query: string | undefined, names: readonly string[]): Set<string> {
  const requested = new Set<string>()
  for (const sent of (query ?? '').split(',')) {
    const name = sent.trim().replaceAll('_', '-')
    if (name === '') continue
    if (!names.includes(name)) throw refuse('include-unknown')
    const parts = name.split('.')
    for (const end of parts.keys()) requested.add(parts.slice(0, end + 1).join('.'))
  }
  return requested
}
