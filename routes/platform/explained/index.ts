import { memoize } from '../../../state/kernel/memoize.ts'
import type { DialectName } from '../../http/declare/dialect.ts'
import type {
  ApiExplanations,
  Diagnosis,
  ExplainedRequest,
} from '../../http/journal-hooks/api-explanations.ts'
import { checks } from '../checks.ts'
import { platformCoverage } from '../coverage.ts'
import { correct } from './corrections.ts'
import { explainHiddenResource } from './hidden-resources.ts'
import { integrationDiagnoses } from './integrations.ts'
import {
  explainExceededRate,
  explainInvalidAttributes,
  explainMalformedDocument,
  explainRefusedToken,
  explainWrongContentType,
  explainWrongType,
} from './requests.ts'
import { workspaceDiagnoses } from './workspaces.ts'

/** Choices (docs/reference/choices.md) that determine refusals, by the rule of the refusal. */
export const choicesByRule: Readonly<Record<string, string>> = {
  'owners-stay': 'team-owners',
  'member-already': 'team-membership-errors',
  'no-member': 'team-membership-errors',
  'user-unknown': 'team-membership-errors',
  'address-expired': 'object-addresses',
  'test-number-missing': 'sms-verify-order',
}

/** Functions that explain refusals, by rule. */
const diagnoses: Readonly<Record<string, (request: ExplainedRequest) => Diagnosis | undefined>> = {
  unauthorized: explainRefusedToken,
  'not-found': explainHiddenResource,
  'rate-exceeded': explainExceededRate,
  'content-type-unknown': explainWrongContentType,
  'body-unreadable': explainMalformedDocument,
  'data-missing': explainMalformedDocument,
  'attributes-missing': explainMalformedDocument,
  'attributes-wrong': explainMalformedDocument,
  'type-wrong': explainWrongType,
  'type-missing': explainWrongType,
  'invalid-attributes': explainInvalidAttributes,
  ...workspaceDiagnoses,
  ...integrationDiagnoses,
}

/** Returns the explanations of the platform API's refusals (behaviour/program#explanations). */
export function explanationsIn(dialect: DialectName): ApiExplanations {
  return {
    checks,
    spec: 'behaviour/platform#conventions',
    choicesByRule,
    addresses: memoize(() =>
      platformCoverage(dialect).operations.map(({ id, verb, path }) => ({
        operation: id,
        method: verb,
        path,
      })),
    ),
    diagnose: (request) => diagnoses[request.rule]?.(request),
    correct,
  }
}
