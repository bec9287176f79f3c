import { refuse } from '../../../state/scheduler/messages.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#enterprise', withoutLeader: true })

/** Paths that only the enterprise edition serves. */
const enterprisePaths = [
  ['SentinelPolicies', '/sentinel/policies'],
  ['SentinelPolicy', '/sentinel/policy/:name'],
  ['Quotas', '/quotas'],
  ['QuotaUsages', '/quota-usages'],
  ['Quota', '/quota/:name'],
  ['NewQuota', '/quota'],
  ['Recommendations', '/recommendations'],
  ['NewRecommendation', '/recommendation'],
  ['AppliedRecommendations', '/recommendations/apply'],
  ['Recommendation', '/recommendation/:id'],
] as const

/**
 * Operations of the enterprise edition. The answer is 501, except for reads of the license, which
 * answer 204.
 */
export const enterpriseOperations = [
  ...enterprisePaths.map(([name, path]) =>
    operation.get(`refuse${name}`, path, {
      acceptsAnyMethod: true,
      access: 'anyone',
      summary: 'Refuse: only the enterprise edition has this.',
      failures: [501],
      reply: {},
      run() {
        throw refuse('enterprise-only')
      },
    }),
  ),
  operation.get('readLicense', '/operator/license', {
    access: 'anyone',
    summary: 'Read the license: there is none, so always 204.',
    reply: { 204: null },
    run: () => ({ status: 204 }),
  }),
  operation.put('putLicense', '/operator/license', {
    access: 'anyone',
    summary: 'Refuse: only the enterprise edition accepts a license.',
    failures: [501],
    reply: {},
    run() {
      throw refuse('enterprise-only')
    },
  }),
]
