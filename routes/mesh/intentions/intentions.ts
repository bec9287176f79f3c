import { quoteGo } from '../../../state/go/text.ts'
import { bool, list, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { refuse as refuseAccess } from '../../../state/mesh/acl/messages.ts'
import { entriesIndex } from '../../../state/mesh/config/entries.ts'
import { intentionBody, intentionInputOf } from '../../../state/mesh/intentions/intention-body.ts'
import {
  deleteIntention,
  putIntention,
  requireEnds,
} from '../../../state/mesh/intentions/intention-writes.ts'
import {
  allIntentions,
  decideIntention,
  destinationOf,
  exactIntention,
  type Intention,
  intentionsIn,
  matchingIntentions,
  sourceOf,
} from '../../../state/mesh/intentions/intentions.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { insideOperation, perEntry } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { namespaceOf, requireRight, requires, rightChecker } from '../access.ts'
import { filterOf, filterParameter } from '../catalog/filters.ts'
import { readNamespaceOf } from '../catalog/selection.ts'
import { decodeBody } from '../decode.ts'
import { type MeshContext, operationsOf, readWithoutIndex } from '../operation.ts'
import {
  inRequestNamespace,
  type NamedEnd,
  parseEnd,
  readTarget,
  requireIntentionWrite,
  requireSingleValue,
} from './parameters.ts'
import { filterableIntention, intentionReply, intentionView } from './views.ts'

export const operation = operationsOf({ spec: 'behaviour/mesh#intentions' })

const endParameters = parameters({
  source: described(text, 'Source service: a name, `ns/name` or `partition/ns/name`'),
  destination: described(text, 'Destination service'),
})

const readAccess = insideOperation(requires('intention:read'))
const writeAccess = insideOperation(requires('intention:write'))

/**
 * Returns a predicate that accepts the intentions whose source or destination the caller may read.
 * A source behind a peer does not count.
 */
export function intentionVisibility(context: MeshContext): (intention: Intention) => boolean {
  const isReadable = rightChecker(context, 'intention:read')
  return (intention) =>
    (intention.source.Peer === undefined && isReadable(readTarget(sourceOf(intention)))) ||
    isReadable(readTarget(destinationOf(intention)))
}

function endsOf(context: MeshContext, mayBeEmpty: boolean, mayBePeer: boolean) {
  const sent = {
    source: requireSingleValue(context, 'source', mayBeEmpty),
    destination: requireSingleValue(context, 'destination', mayBeEmpty),
  }
  return {
    source: parseEnd('source', sent.source, mayBePeer),
    destination: parseEnd('destination', sent.destination),
  }
}

function withNamespaces(
  context: MeshContext,
  { source, destination }: { readonly source: NamedEnd; readonly destination: NamedEnd },
) {
  return {
    source: inRequestNamespace(context, 'SourceNS', source),
    destination: inRequestNamespace(context, 'DestinationNS', destination),
  }
}

export const intentionOperations = [
  operation.get('listIntentions', '/connect/intentions', {
    access: perEntry(requires('intention:read')),
    summary: 'List the intentions by precedence; can block.',
    query: parameters(filterParameter),
    reply: { 200: storedSchema(list(intentionReply)) },
    run: ({ context }) => {
      const { world, dialect } = context
      return context.read(
        () => {
          const matches = filterOf(context, filterableIntention)
          const isEverywhere = namespaceOf(context) === '*'
          const found = isEverywhere
            ? allIntentions(world)
            : intentionsIn(world, [readNamespaceOf(context)])
          const isVisible = intentionVisibility(context)
          const entries = found
            .map((intention) => ({ intention, view: intentionView(world, dialect, intention) }))
            .filter(({ view }) => matches(view))
          const visible = entries.filter(({ intention }) => isVisible(intention))
          return {
            index: entriesIndex(world),
            body: visible.map(({ view }) => view),
            isFiltered: visible.length < entries.length,
          }
        },
        { hasReadHeadersOnRefusal: true },
      )
    },
  }),
  operation.get('readIntention', '/connect/intentions/exact', {
    access: readAccess,
    summary: 'Read the intention from a source to a destination; can block.',
    query: endParameters,
    failures: [404],
    reply: { 200: storedSchema(intentionReply) },
    run({ context }) {
      const { world, dialect } = context
      context.checkReadParameters()
      const named = endsOf(context, true, true)
      return context.read(() => {
        const ends = withNamespaces(context, named)
        const { source, destination } = ends
        requireEnds(source, destination)
        const intention = exactIntention(world, source, destination, source.peer)
        if (intention === undefined) throw refuse('intention-absent')
        if (!intentionVisibility(context)(intention)) throw refuseAccess('right-missing-bare')
        const body = intentionView(world, dialect, intention)
        return { index: entriesIndex(world), body, omitsReadHeaders: true }
      })
    },
  }),
  operation.put('putIntention', '/connect/intentions/exact', {
    access: writeAccess,
    summary: 'Store the intention from a source to a destination.',
    query: endParameters,
    body: intentionBody,
    reply: { 200: { const: true } },
    run({ context }) {
      const named = endsOf(context, false, false)
      const body = decodeBody(context, intentionBody, (problem) =>
        refuse('session-body-unreadable', { problem }),
      )
      if (body.SourcePeer) throw refuse('intention-of-peer')
      const { source, destination } = withNamespaces(context, named)
      requireIntentionWrite(context, destination)
      putIntention(context.world, source, destination, intentionInputOf(body))
      return ok(true)
    },
  }),
  operation.delete('deleteIntention', '/connect/intentions/exact', {
    access: writeAccess,
    summary: 'Delete the intention from a source to a destination, if there is one.',
    query: endParameters,
    reply: { 200: { const: true } },
    run({ context }) {
      const { source, destination } = withNamespaces(context, endsOf(context, false, false))
      requireIntentionWrite(context, destination)
      deleteIntention(context.world, source, destination)
      return ok(true)
    },
  }),
  operation.get('matchIntentions', '/connect/intentions/match', {
    access: readAccess,
    summary: 'List the intentions that apply to services, by precedence; can block.',
    query: parameters({
      by: described(text, '`source` or `destination`'),
      name: described(text, 'A service; may be sent several times'),
    }),
    reply: { 200: storedSchema(map(nullable(list(intentionReply)))) },
    run({ context }) {
      const { world, dialect, query } = context
      context.checkReadParameters()
      const by = requireSingleValue(context, 'by', true)
      if (by !== 'source' && by !== 'destination') throw refuse('intention-by-unknown')
      const names = query.all('name')
      if (names.length === 0) throw refuse('intention-parameter-missing', { name: 'name' })
      const ends = names.map((name) => [name, parseEnd('name', name)] as const)
      return context.read(
        () => {
          void context.caller
          const matches = ends.map(([name, end]) => {
            const service = inRequestNamespace(context, 'match entry namespace', end)
            if (service.name !== '') {
              requireRight(context, 'intention:read', readTarget(service))
            }
            const found = matchingIntentions(world, by, service)
            const views = found.map((each) => intentionView(world, dialect, each))
            return [name, views.length === 0 ? null : views] as const
          })
          return { index: entriesIndex(world), body: Object.fromEntries(matches) }
        },
        { showsConsistency: true, hasReadHeadersOnRefusal: true, cache: 'refreshed' },
      )
    },
  }),
  operation.get('checkIntention', '/connect/intentions/check', {
    access: insideOperation(requires('service:read')),
    summary: 'Check whether a service may connect to another.',
    query: parameters({
      ...{ source: described(text, 'Source service') },
      destination: described(text, 'Destination service'),
      'source-type': described(text, 'consul'),
    }),
    reply: { 200: storedSchema(struct({ Allowed: bool })) },
    run({ context }) {
      const { world, query } = context
      context.checkReadParameters()
      const type = query.has('source-type') ? (query.value('source-type') ?? '') : 'consul'
      const sent = requireSingleValue(context, 'source', true)
      const named = requireSingleValue(context, 'destination', true)
      const from = type === 'consul' ? parseEnd('source', sent) : undefined
      const to = parseEnd('destination', named)
      return readWithoutIndex(context, () => {
        void context.caller
        if (from === undefined) throw refuse('intention-source-type', { quoted: quoteGo(type) })
        const source = inRequestNamespace(context, 'source namespace', from)
        const destination = inRequestNamespace(context, 'destination namespace', to)
        const { namespace, name } = destination
        if (name !== '') requireRight(context, 'service:read', { namespace, name })
        const { isAllowed } = decideIntention(world, source, destination)
        return { Allowed: isAllowed }
      })
    },
  }),
]
