import {
  bool,
  goList,
  int,
  list,
  map,
  text,
  typed,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { queryOptionMembers, serverAddress } from '../../../state/scheduler/body-addresses.ts'
import type { SearchScope } from '../../../state/scheduler/search/contexts.ts'
import { searchByPrefix, searchFuzzily } from '../../../state/scheduler/search/search.ts'
import type { Answer } from '../../http/declare/operation.ts'
import { requiresAnyOf, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { readOptions } from '../query.ts'
import { namespacesWith } from '../reads.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#search' })

const contextShape = typed('Context', text)

const requestShape = struct('SearchRequest', {
  ...queryOptionMembers,
  Prefix: text,
  Context: contextShape,
})

const fuzzyRequestShape = struct('FuzzySearchRequest', {
  Text: text,
  Context: contextShape,
  ...queryOptionMembers,
})

/** Members of the replies to both the search by prefix and the fuzzy search. */
const meta = {
  Truncations: map(bool),
  Index: uint,
  LastContact: int,
  KnownLeader: bool,
  NextToken: text,
} as const

const replyShape = struct('SearchResponse', { Matches: map(goList(text)), ...meta })

const fuzzyReplyShape = struct('FuzzySearchResponse', {
  Matches: map(list(struct('FuzzyMatch', { ID: text, Scope: optional(list(text)) }))),
  ...meta,
})

/** Access for callers who may read at least one kind of searchable object. */
const searchAccess = within(
  requiresAnyOf('namespace:read-job', 'namespace:*', 'node:read', 'node_pool:read', 'management'),
)

/** Operations with which command-line clients resolve short IDs. */
export const searchOperations = [
  operation.post('searchByPrefix', '/search', {
    access: searchAccess,
    summary: 'Find IDs of jobs, allocations, evaluations, deployments, nodes and so on by prefix.',
    body: requestShape,
    bodyAddress: serverAddress,
    reply: { 200: replyShape },
    run({ context, body }) {
      const { Prefix, Context } = body()
      readOptions(context.query)
      return searchReply(context, searchByPrefix(searchScope(context), Prefix ?? '', Context ?? ''))
    },
  }),
  operation.post('searchFuzzily', '/search/fuzzy', {
    access: searchAccess,
    summary: 'Find jobs, their parts, allocations, nodes and so on by a part of their names.',
    body: fuzzyRequestShape,
    bodyAddress: serverAddress,
    reply: { 200: fuzzyReplyShape },
    run({ context, body }) {
      const { Text, Context, Prefix } = body()
      readOptions(context.query)
      const prefix = context.query.value('prefix') ?? Prefix ?? ''
      const result = searchFuzzily(searchScope(context), Text ?? '', Context ?? '', prefix)
      return searchReply(context, result)
    },
  }),
]

function searchScope(context: SchedulerContext): SearchScope {
  const { world, caller, namespace } = context
  return { world, caller, namespace, readableNamespaces: namespacesWith(context, 'read-job') }
}

/** Returns a reply with read headers. */
function searchReply(
  { dialect }: SchedulerContext,
  result: { readonly Index: number; readonly Matches: object },
): Answer {
  const body = { ...result, LastContact: 0, KnownLeader: true, NextToken: '' }
  const headers = dialect.encodeHeaders({
    Index: String(result.Index),
    KnownLeader: 'true',
    LastContact: '0',
  })
  return { status: 200, body, headers }
}
