import type { Answer, ComparedRequest, Target } from '../../../src/cli/compare/request.ts'
import { normalize } from '../../../src/cli/compare/search.ts'
import type { FixedRequests } from '../fixed-requests.ts'
import { comparedMesh } from '../mesh.ts'
import { fixtureVariables } from './fixture.ts'
import { rightsSequences, rightsVariables } from './rights.ts'
import { querySequences, routeSequences } from './routes.ts'

/** Headers that are compared by their values. */
const comparedHeaders = [
  ...['content-type', 'allow', 'location', 'x-content-type-options', 'content-security-policy'],
  ...['x-consul-knownleader', 'x-consul-effective-consistency', 'x-consul-query-backend'],
  ...['x-consul-results-filtered-by-acls', 'x-consul-default-acl-policy'],
]

/** Headers that are compared by their presence. */
const presentHeaders = ['x-consul-index', 'x-consul-lastcontact']

/** Replies that describe the server itself. */
const aboutServer = /^(?:agent\/(?:self|members)|operator\/raft|status)/

/** Returns status, headers and body of a reply, without values that servers generate. */
function digest({ status, headers = {}, body }: Answer, { path }: ComparedRequest): string {
  const shown = [
    ...comparedHeaders.map((name) => [name, headers[name]] as const),
    ...presentHeaders.map((name) => [name, headers[name] === undefined ? undefined : '-'] as const),
  ].filter(([, value]) => value !== undefined)
  const isCompared = status !== 200 || !aboutServer.test(path)
  const text = isCompared ? JSON.stringify(normalize(body, comparedMesh)) : ''
  return `${status} ${shown.map(([name, value]) => `${name}: ${String(value)}`).join(', ')} ${text}`
}

/** Removes what earlier runs left on the server. */
async function prepare(mock: Target, server: Target): Promise<void> {
  for (const target of [mock, server]) await comparedMesh.cleanUp?.(target, [])
}

/** Lists of fixed requests with which the mesh API is compared, by name. */
export const meshSuites: readonly FixedRequests[] = [
  {
    name: 'rights',
    usesAcl: true,
    prepare,
    sequences: rightsSequences(),
    variables: rightsVariables,
    digest,
    known: [],
  },
  {
    name: 'routes',
    usesAcl: true,
    prepare,
    sequences: routeSequences(),
    digest,
    known: [],
  },
  {
    name: 'queries',
    usesAcl: true,
    prepare,
    sequences: querySequences(),
    variables: fixtureVariables,
    digest,
    known: [],
  },
]
