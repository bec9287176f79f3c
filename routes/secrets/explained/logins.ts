import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'

/** A JWT of a service account that was refused in two words, or none: the orchestrator's reason. */
export function explainAccountRefusal({ refusal }: ExplainedRequest): Diagnosis | undefined {
  const why = refusal?.details['why']
  if (typeof why !== 'string') return undefined
  return {
    because: `the JWT of the service account was not taken: ${why}`,
    change:
      'Log in with a JWT of POST /_mock/secrets/orchestrator/tokens, or say by secrets.orchReview that pem_keys count alone',
    spec: 'behaviour/secrets#orch-login-review',
  }
}

/** Keys that are elsewhere and were not had. */
export function explainMissingKeys({ refusal }: ExplainedRequest): Diagnosis | undefined {
  const { why = refusal?.params['why'] } = refusal?.details ?? {}
  const reason = typeof why === 'string' ? why : nestedReason(why)
  if (reason === undefined) return undefined
  return {
    because: `the keys were not fetched: ${reason}`,
    change:
      'Hand them in by the option secrets.jwtKeys, or let them be fetched by secrets.jwtFetch',
    spec: 'behaviour/secrets#jwt-keys',
  }
}

/** What a login says of the fetching of keys; undefined where it is about something else. */
function nestedReason(why: unknown): string | undefined {
  const message = why as {
    readonly rule?: string
    readonly facts?: Readonly<Record<string, unknown>>
  }
  if (message?.rule !== 'jwt-fetch-failed') return undefined
  const inner = message.facts?.['why']
  return typeof inner === 'string' ? inner : 'the option jwtFetch does not allow it'
}
