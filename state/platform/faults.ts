import { defineMessages, Refusal } from '../kernel/refusal.ts'
import type { Message, ParamArguments } from '../kernel/wording.ts'

const { table, message } = defineMessages({
  blank: { text: "can't be blank" },
  'not-blank': { text: 'must be blank' },
  taken: { text: 'has already been taken' },
  invalid: { text: 'is invalid' },
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
  'no-complete-set': { text: 'requires at least one complete set of credentials' },
})

const { message: list } = defineMessages({
  'invalid-attributes': { text: '{faults}' },
  'attribute-fault': { text: '{attribute} {fault}' },
  'next-attribute-fault': { text: '; {attribute} {fault}' },
})

/** Texts of attributes that break a rule (behaviour/platform#errors). */
export const faultTexts = table

/** The rules that attributes can break. */
type FaultRule = keyof typeof faultTexts

/** One broken rule of an attribute (behaviour/platform#errors). */
export interface AttributeFault extends Message {
  /** As in the document: `api-rate-limit`; a member of one is `vcs-repo/branch`. */
  readonly attribute: string
}

/** The details with which refusals of attributes are told. */
export interface FaultyDetail {
  /** 422, an object for each (E422a). */
  readonly attributes?: readonly AttributeFault[]
}

type FactsOfFault<Rule extends FaultRule> = ParamArguments<(typeof faultTexts)[Rule]['text']>

/** A broken rule of an attribute. */
export function fault<Rule extends FaultRule>(
  attribute: string,
  rule: Rule,
  ...facts: FactsOfFault<Rule>
): AttributeFault {
  return { attribute, ...message(rule, ...facts) }
}

/** The refusal for attributes that break rules: 422 with an object for each. */
export function invalidAttributes(attributes: readonly AttributeFault[]): Refusal {
  const faults = attributes.map(({ attribute, ...said }, index) =>
    list(index === 0 ? 'attribute-fault' : 'next-attribute-fault', { attribute, fault: said }),
  )
  const detail: FaultyDetail = { attributes }
  return new Refusal('invalid', list('invalid-attributes', { faults }), { ...detail })
}

/** The faults that are found while attributes are looked at, in the order in which they are told. */
export class Faults {
  readonly #found: AttributeFault[] = []

  get any(): boolean {
    return this.#found.length > 0
  }

  get first(): AttributeFault | undefined {
    return this.#found[0]
  }

  get count(): number {
    return this.#found.length
  }

  add<Rule extends FaultRule>(attribute: string, rule: Rule, ...facts: FactsOfFault<Rule>): void {
    this.#found.push(fault(attribute, rule, ...facts))
  }

  /** Refuses if there are any. */
  check(): void {
    if (this.any) throw this.refusal()
  }

  refusal(): Refusal {
    return invalidAttributes(this.#found)
  }
}
