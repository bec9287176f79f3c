import { quoteGo } from '../../state/go/text.ts'
import { bool, goList, goMap, int, text, uint } from '../../state/kernel/shape/kinds.ts'
import { struct } from '../../state/kernel/shape/members.ts'
import { allAllocations } from '../../state/scheduler/cluster/allocations.ts'
import { allDeployments } from '../../state/scheduler/cluster/deployments.ts'
import { allEvaluations } from '../../state/scheduler/cluster/evaluations.ts'
import { allNodePools, allNodes } from '../../state/scheduler/cluster/nodes.ts'
import { writtenIndex } from '../../state/scheduler/indexes.ts'
import { listJobs } from '../../state/scheduler/jobs/listing.ts'
import { visibleNamespaces } from '../../state/scheduler/namespaces.ts'
import { refuse } from '../../state/scheduler/texts.ts'
import { needs, within } from './access.ts'
import { namespacesWith } from './namespaces-of-list.ts'
import { operation, type SchedulerContext } from './operation.ts'

const requestShape = struct('SearchRequest', { Prefix: text, Context: text })

const replyShape = struct('SearchResponse', {
  Matches: goMap(goList(text)),
  Truncations: goMap(bool),
  Index: uint,
  LastContact: int,
  KnownLeader: bool,
})

/** The number of IDs of one kind that are told. */
const most = 20

interface Placed {
  readonly ID: string
  readonly Namespace: string
}

/** The kinds of things that can be searched, each with the IDs that the caller may know. */
const contexts: Readonly<Record<string, (context: SchedulerContext, prefix: string) => string[]>> =
  {
    allocs: (context) => idsOf(context, allAllocations(context.world)),
    deployment: (context) => idsOf(context, allDeployments(context.world)),
    evals: (context) => idsOf(context, allEvaluations(context.world)),
    jobs: (context, prefix) =>
      listJobs(context.world, {
        namespaces: namespacesWith(context, 'read-job'),
        prefix,
        perPage: most + 1,
      }).items.map(({ ID }) => ID),
    namespaces: ({ world, caller }) => visibleNamespaces(world, caller).map(({ Name }) => Name),
    node_pools: ({ world, caller }) =>
      allNodePools(world)
        .map(({ Name }) => Name)
        .filter((name) => caller.mayUsePool(name, 'read')),
    nodes: ({ world, caller }) =>
      caller.mayUse('node', 'read') ? allNodes(world).map(({ ID }) => ID) : [],
  }

function idsOf(context: SchedulerContext, things: readonly Placed[]): string[] {
  const namespaces = new Set(namespacesWith(context, 'read-job'))
  return things.filter(({ Namespace }) => namespaces.has(Namespace)).map(({ ID }) => ID)
}

/** Operation that command lines resolve short IDs with. */
export const searchOperations = [
  operation({
    id: 'searchByPrefix',
    method: 'POST',
    path: '/search',
    access: within(needs('namespace:read-job', 'node:read')),
    summary: 'Find IDs of jobs, allocations, evaluations, deployments, nodes and so on by prefix.',
    spec: 'Extension of 3b-scheduler-decisions.md section 10',
    body: requestShape,
    answers: replyShape,
    run({ context, body }) {
      const { Prefix, Context } = body()
      const prefix = Prefix ?? ''
      const asked = Context === null || Context === '' ? 'all' : Context
      const kinds = asked === 'all' ? Object.keys(contexts) : [asked]
      const mayRead = namespacesWith(context, 'read-job').length > 0
      if (!mayRead && !context.caller.mayUse('node', 'read')) throw refuse('permission-denied')
      const found = kinds.map((kind): [string, readonly string[]] => {
        const ids = Object.hasOwn(contexts, kind) ? contexts[kind] : undefined
        if (ids === undefined) {
          const known = ['all', ...Object.keys(contexts)].join(' ')
          throw refuse('search-context-unknown', { known, context: quoteGo(kind) })
        }
        return [
          kind,
          ids(context, prefix)
            .filter((id) => id.startsWith(prefix))
            .sort(),
        ]
      })
      const index = writtenIndex(context.world)
      const answer = {
        Matches: Object.fromEntries(found.map(([kind, ids]) => [kind, ids.slice(0, most)])),
        Truncations: Object.fromEntries(found.map(([kind, ids]) => [kind, ids.length > most])),
        Index: index,
        LastContact: 0,
        KnownLeader: true,
      }
      return context.written(answer, index)
    },
  }),
]
