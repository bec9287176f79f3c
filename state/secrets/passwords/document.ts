import { isPrintable } from '../../go/text.ts'
import {
  blocks,
  type DocumentBlock,
  isDocument,
  isList,
  readDocument,
} from '../../hcl/document/document.ts'
import type { Document, Item, Value } from '../../hcl/document/value.ts'
import { HclError } from '../../hcl/syntax/error.ts'
import { appendAll } from '../../kernel/lists.ts'
import { type Message, renderMessage } from '../../kernel/message.ts'
import { errorList } from '../common-messages.ts'
import { DecodeError, decodeInteger, decodeRunes, goKind, throwDecodeErrors } from './decode.ts'
import { type CharsetRule, charsetOf, type PasswordRules } from './generator.ts'
import { message } from './messages.ts'

/**
 * Error for an invalid password policy document. If a write is refused for this error, the refusal
 * puts `invalid password policy: ` in front of the message.
 */
export class PasswordPolicyError extends Error {
  readonly reason: Message

  constructor(reason: Message) {
    super(renderMessage(reason))
    this.name = 'PasswordPolicyError'
    this.reason = reason
  }
}

/**
 * Parses a password policy in HCL or JSON (behaviour/secrets#password-policies). As in the
 * reference, unknown names are ignored, and known names match in any letter case.
 *
 * @throws PasswordPolicyError with the reference's message
 */
export function parsePasswordPolicy(text: string): PasswordRules {
  const document = parseDocument(text)
  const length = decodeOrThrow('failed to decode configuration', () =>
    integerOf(document, 'length', throwDecodeErrors),
  )
  const rules = ruleBlocks(document).map(readRule)
  const policy: PasswordRules = { length, rules }
  const problems = problemsOf(policy)
  if (problems.length > 0) throw new PasswordPolicyError(errorList(problems))
  return policy
}

function parseDocument(text: string): Document {
  try {
    return readDocument(text)
  } catch (error) {
    if (error instanceof HclError) throw unreadableError('unable to decode', error.message)
    throw error
  }
}

/**
 * Returns the blocks with the name `rule`.
 * @throws PasswordPolicyError if a value with this name is not a block, an object or a list of
 *   objects
 */
function ruleBlocks(document: Document): DocumentBlock[] {
  for (const { key, labels, value } of document.items) {
    if (key !== 'rule' || labels.length > 0) continue
    decodeOrThrow('unable to retrieve rules', () => checkMaps(value))
  }
  return blocks(document, 'rule', 1)
}

/** Throws a DecodeError for values other than blocks, objects and lists of objects. */
function checkMaps(value: Value): void {
  if (isDocument(value)) return
  if (!isList(value)) {
    throw new DecodeError(`'': source data must be an array or slice, got ${goKind(value)}`)
  }
  throwDecodeErrors(
    value.flatMap((element, at) =>
      isDocument(element) ? [] : [`'[${at}]' expected a map, got '${goKind(element)}'`],
    ),
  )
}

function readRule({ labels, body }: DocumentBlock): CharsetRule {
  const [type, ...extraLabels] = labels
  if (type === undefined) throw rulesError(`unable to get rule info: ${untypedReason(body)}`)
  if (type !== 'charset') {
    throw rulesError(`unable to parse rule ${type}: unrecognized rule type ${type}`)
  }
  return decodeOrThrow(
    `unable to parse rules: unable to parse rule ${type}: failed to parse charset restriction`,
    // As in the reference, a rule with a second label is empty: its body becomes the value of an
    // unknown name, and unknown names are ignored.
    () => readCharset(extraLabels.length > 0 ? { items: [] } : body),
  )
}

function rulesError(why: string): PasswordPolicyError {
  return new PasswordPolicyError(message('password-rules-unreadable', { why }))
}

/** Returns the reason that the reference gives for a rule without a type. */
function untypedReason(body: Document): string {
  const [first] = body.items
  if (first === undefined) return 'rule is empty'
  if (isList(first.value) && first.value.length === 0) return 'rule info cannot be empty'
  return `unable to get rule data: '': source data must be an array or slice, got ${goKind(first.value)}`
}

function readCharset(body: Document): CharsetRule {
  const problems: string[] = []
  const collect = (found: readonly string[]) => void appendAll(problems, found)
  const set = itemOf(body, 'charset')
  const charset = set === undefined ? [] : decodeRunes('charset', set.value, collect)
  const minChars = integerOf(body, 'min-chars', collect)
  throwDecodeErrors(problems)
  return { charset, minChars }
}

/**
 * Returns an integer member, or 0 if the member is missing. Reports an error for a member of
 * another type and returns 0.
 */
function integerOf(body: Document, name: string, report: (problems: readonly string[]) => void) {
  const item = itemOf(body, name)
  return item === undefined ? 0 : decodeInteger(name, item.value, report)
}

/**
 * Returns the last item with this name. Prefers the exact spelling over other letter cases. Returns
 * undefined if there is no such item.
 */
function itemOf({ items }: Document, name: string): Item | undefined {
  return (
    items.findLast(({ key }) => key === name) ??
    items.findLast(({ key }) => key.toLowerCase() === name)
  )
}

function unreadableError(where: string, why: string): PasswordPolicyError {
  return new PasswordPolicyError(message('password-policy-unreadable', { where, why }))
}

function decodeOrThrow<T>(where: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof DecodeError) throw unreadableError(where, error.message)
    throw error
  }
}

function problemsOf(policy: PasswordRules): Message[] {
  const { length, rules } = policy
  const minLength = rules.reduce((sum, { minChars }) => sum + minChars, 0)
  const problems: Message[] = []
  if (length <= 0) problems.push(message('password-length-zero'))
  else if (length < minLength) {
    problems.push(message('password-length-below-rules', { least: minLength, length }))
  }
  const charset = charsetOf(policy)
  if (charset.length === 0) problems.push(message('password-charset-missing'))
  else if (!charset.every(isPrintable)) problems.push(message('password-charset-unprintable'))
  return problems
}
