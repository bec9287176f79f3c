import type { Message, ParamArguments } from '../kernel/message.ts'
import { defineMessages, Refusal } from '../kernel/refusal.ts'

const { table: messageTable, message } = defineMessages({
  blank: { text: "can't be blank" },
  'not-blank': { text: 'must be blank' },
  'repository-blank': { text: "can't be blank" },
  'repository-invalid': { text: 'is invalid' },
  taken: { text: 'has already been taken' },
  invalid: { text: 'is invalid' },
  'name-characters': {
    text: 'may only contain letters, numbers, spaces, hyphens and underscores, and no space at its ends',
  },
  'activity-duration': {
    text: "has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')",
  },
  'not-listed': { text: 'is not included in the list' },
  'too-long': { text: 'is too long (maximum is {limit} characters)' },
  'too-short': { text: 'is too short (minimum is {limit} characters)' },
  'too-large': { text: 'is too long (maximum is 256 KB)' },
  'too-small': { text: 'must be greater than or equal to {limit}' },
  'too-great': { text: 'must be less than or equal to {limit}' },
  'not-positive': { text: 'must be greater than 0' },
  'no-text': { text: 'must be a string' },
  'no-flag': { text: 'must be true or false' },
  'no-number': { text: 'is not a number' },
  'no-integer': { text: 'must be an integer' },
  'no-list': { text: 'must be an array' },
  'not-changeable': { text: 'cannot be changed' },
  'not-changeable-if-sensitive': { text: 'cannot be changed on a sensitive variable' },
  'sensitive-for-good': { text: 'cannot be changed from true to false' },
  'not-with-prefixes': { text: 'cannot be set together with trigger prefixes' },
  'not-with-triggers': { text: 'cannot be set together with trigger prefixes or patterns' },
  'not-with-global': {
    text: 'cannot be enabled when global remote state sharing is enabled',
  },
  'md5-differs': { text: 'does not match the state' },
  'needs-custom-access': {
    text: "is read-only when access level is '{access}'; use the 'custom' access level to set this attribute.",
  },
  'pool-without-agents': {
    text: "must not be specified unless using 'agent' execution mode",
  },
  'agents-without-pool': { text: "must be specified when using 'agent' execution mode" },
  'pool-closed': { text: 'workspace does not have access to use this agent pool' },
  'workspace-itself': { text: 'cannot be the workspace itself' },
  'owned-by-project': { text: 'must be false for variable sets owned by a project' },
  'needs-mode': { text: 'requires execution mode' },
  'not-with-mode': { text: 'cannot be set together with execution mode' },
  'teams-need-membership': { text: 'manage teams requires manage membership' },
  'access-needs-teams': { text: 'manage organization access requires manage teams' },
  'advisory-after-apply': { text: 'must be advisory for post-apply' },
  'too-many-bindings': { text: 'cannot exceed {limit} bindings per resource' },
  'only-plan': { text: 'is only valid for plan-only runs' },
  'no-complete-set': { text: 'requires at least one complete set of credentials' },
})

const { message: listMessage } = defineMessages({
  'invalid-attributes': { text: '{problems}' },
  'attribute-problem': { text: '{attribute} {problem}' },
  'next-attribute-problem': { text: '; {attribute} {problem}' },
})

/** Messages about attributes that break a rule (behaviour/platform#errors). */
export const attributeMessages = messageTable

type AttributeRule = keyof typeof attributeMessages

/** One broken rule of one attribute (behaviour/platform#errors). */
export interface AttributeViolation extends Message {
  /**
   * Name of the attribute in the document, such as `api-rate-limit`. The name of a nested member
   * contains a slash, such as `vcs-repo/branch`.
   */
  readonly attribute: string
}

/** Details of a refusal about attributes. */
export interface ViolationsDetail {
  /** Broken rules. The API replies 422 with one error object for each rule. */
  readonly attributes?: readonly AttributeViolation[]
}

type MessageParamsOf<Rule extends AttributeRule> = ParamArguments<
  (typeof attributeMessages)[Rule]['text']
>

export function violation<Rule extends AttributeRule>(
  attribute: string,
  rule: Rule,
  ...params: MessageParamsOf<Rule>
): AttributeViolation {
  return { attribute, ...message(rule, ...params) }
}

/**
 * Returns the refusal for invalid attributes, with all violations in its reason. The API replies
 * 422 with one error object for each violation.
 */
export function invalidAttributes(attributes: readonly AttributeViolation[]): Refusal {
  const messages = attributes.map(({ attribute, ...violationMessage }, index) =>
    listMessage(index === 0 ? 'attribute-problem' : 'next-attribute-problem', {
      attribute,
      problem: violationMessage,
    }),
  )
  const detail: ViolationsDetail = { attributes }
  return new Refusal('invalid', listMessage('invalid-attributes', { problems: messages }), {
    ...detail,
  })
}

/** Violations found during validation, in the order in which the reply reports them. */
export class Violations {
  readonly #violations: AttributeViolation[] = []

  get hasAny(): boolean {
    return this.#violations.length > 0
  }

  get first(): AttributeViolation | undefined {
    return this.#violations[0]
  }

  get count(): number {
    return this.#violations.length
  }

  add<Rule extends AttributeRule>(
    attribute: string,
    rule: Rule,
    ...params: MessageParamsOf<Rule>
  ): void {
    this.#violations.push(violation(attribute, rule, ...params))
  }

  /** Throws 422 if there are any violations. */
  check(): void {
    if (this.hasAny) throw this.refusal()
  }

  refusal(): Refusal {
    return invalidAttributes(this.#violations)
  }
}
