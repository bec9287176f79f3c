import { type HealthCondition, healthCondition } from '../../../state/secrets/seal/health.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'

/** What a node is called, and the parameter with which health answers as for an active one. */
const conditions: Readonly<Record<HealthCondition, readonly [is: string, asked?: string]>> = {
  uninitialized: ['not initialised', 'uninitcode'],
  sealed: ['sealed', 'sealedcode'],
  'dr-secondary': ['a DR secondary', 'drsecondarycode'],
  'performance-standby': ['a performance standby', 'perfstandbyok'],
  standby: ['a standby', 'standbyok'],
  active: ['active', 'activecode'],
}

/** Health tells by its status what kind of node was asked (behaviour/secrets#api-health). */
export function explainHealthStatus({ world, status }: ExplainedRequest): Diagnosis {
  const [is, query] = conditions[healthCondition(world)]
  const because = `the node is ${is}, which health tells by ${status}`
  if (query === undefined) return { because }
  const value = query.endsWith('ok') ? 'true' : '200'
  return {
    because,
    change: `Ask with ?${query}=${value} if such a node will do`,
    request: { query: { [query]: value } },
  }
}
