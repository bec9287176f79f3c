import {
  type Answer,
  memberOf,
  rootRequest,
  type Target,
} from '../../../src/cli/compare/request.ts'
import { briefDigest, type FixedRequests } from '../fixed-requests.ts'
import { badBodyRequests, badJobRequests } from './bad-fields.ts'
import { drainSequences, drainVariables } from './drains.ts'
import { rightsSequences } from './rights.ts'
import { routeRequests } from './routes.ts'
import { scenarioDigest, scenarioSequences, waitForJob } from './scenarios.ts'

/** Returns status and text of a failure; `200` for every success, whatever its body. */
function decodingDigest({ status, body }: Answer): string {
  return status === 200 ? '200' : `${status} ${String(body ?? '')}`
}

/** Removes all nodes of the mock's cluster except the first one. */
async function leaveOneNode(mock: Target): Promise<void> {
  const { body } = await mock.send(rootRequest('GET', 'nodes'))
  for (const node of Array.isArray(body) ? body.slice(1) : []) {
    await mock.send(rootRequest('POST', `node/${String(memberOf(node, 'ID'))}/purge`))
  }
}

/** Lists of fixed requests with which the scheduler API is compared, by name. */
export const schedulerSuites: readonly FixedRequests[] = [
  {
    name: 'fields',
    sequences: [badJobRequests()],
    digest: decodingDigest,
    known: [
      {
        kind: /VolumeMounts\.\*\.Volume = "bad": 200 → 0 /,
        reason: 'scheduler-null-in-lists: the product closes the connection',
      },
    ],
  },
  {
    name: 'bodies',
    sequences: [badBodyRequests()],
    digest: decodingDigest,
    known: [{ kind: /^GET jobs\/statuses /, reason: 'bodies of GET are ignored' }],
  },
  {
    name: 'routes',
    sequences: [routeRequests()],
    digest: briefDigest,
    known: [
      {
        kind: /^\w+ \/[\w/]+: 200 \d+ entries → 200 \d+ entries$/,
        reason: 'the clusters hold other objects',
      },
      {
        kind: /: 301.* → 307/,
        reason: 'behaviour/scheduler#conventions: servers built with a later Go answer 307',
      },
      {
        kind: /^PUT \/operator\/autopilot\/configuration: /,
        reason: 'cluster-missing-paths: autopilot cannot be written',
      },
      {
        kind: /^\w+ \/(?:job\/:id\/versions\/:tag\/tag|client\/fs\/ls\/:id|volume\/csi\/:id|service\/:name\/:id|acl\/role\/(?:name\/)?:\w+): /,
        request: /\/a\/b/,
        reason: 'IDs with further slashes',
      },
      {
        kind: /^PATCH \/(?:acl\/role\/:id|var\/:path): /,
        request: /\/$/,
        reason: 'empty names under PATCH',
      },
    ],
  },
  {
    name: 'rights',
    usesAcl: true,
    sequences: rightsSequences(),
    variables: [{ name: '$secret', operationPattern: /^createToken$/, memberPath: ['SecretID'] }],
    digest: briefDigest,
    known: [
      {
        kind: /^GET nodes as /,
        reason: 'the clusters need not have the same number of nodes',
      },
      {
        kind: /^GET (?:job\/\S+\/)?(?:evaluations|deployments) as .*: 200 \d+ entries → 200 \d+ entries$/,
        reason: 'the server keeps evaluations and deployments of earlier runs',
      },
      {
        kind: /^GET agent\/servers as .* → 501 Invalid method$/,
        reason: 'a server without a client knows no servers',
      },
    ],
  },
  {
    name: 'drains',
    prepare: leaveOneNode,
    sequences: drainSequences(),
    variables: drainVariables,
    digest: scenarioDigest,
    waitForJob,
    known: [],
  },
  {
    name: 'scenarios',
    prepare: leaveOneNode,
    sequences: scenarioSequences(),
    digest: scenarioDigest,
    waitForJob,
    known: [
      {
        kind: /, evaluations: (?:.*deployment-watcher)/,
        reason: 'the product joins reports of health that come close together',
      },
    ],
  },
]
