import type { ComparedApi, Difference, Speech } from './api.ts'
import { type Answer, answersOf, type ComparedRequest, type Target } from './request.ts'

type Words = Readonly<Record<string, string>>

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Texts that every API draws. */
const cleared: Speech['cleared'] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [uuid, '<id>'],
]

/** An answer without what two servers cannot have in common: ids, times, names of the product. */
export function normalised(value: unknown, speech: Speech, words: Words = {}): unknown {
  const kinds = [...cleared, ...speech.cleared]
  const text = (told: string) => {
    const renamed = Object.entries(words).reduce(
      (each, [from, to]) => each.replaceAll(from, to),
      told,
    )
    return kinds.reduce((each, [kind, instead]) => each.replace(kind, instead), renamed)
  }
  const whole = (each: unknown): unknown => {
    if (typeof each === 'string') return text(each)
    if (Array.isArray(each)) return inOrder(each.map(whole), each)
    if (typeof each !== 'object' || each === null) return each
    const compared = Object.entries(each).filter(([name]) => speech.omitted?.has(name) !== true)
    const members = compared.map(
      ([name, member]) => [text(name), speech.drawn(name, member) ?? whole(member)] as const,
    )
    return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)))
  }
  return whole(value)
}

/** What is listed by drawn ids has an order that is drawn, too. */
function inOrder(items: readonly unknown[], drawn: readonly unknown[]): readonly unknown[] {
  const byId = drawn.every((item) =>
    ['ID', 'AccessorID'].some((name) => isDrawn(memberOf(item, name))),
  )
  if (!byId) return items
  return items
    .map((item) => [JSON.stringify(item), item] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, item]) => item)
}

function isDrawn(value: unknown): boolean {
  return typeof value === 'string' && value.replace(uuid, '') === '' && value !== ''
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Everything in which the answers of two servers to the same requests differ, the first of each. */
export async function differencesBetween(
  api: ComparedApi,
  left: Target,
  right: Target,
  requests: readonly ComparedRequest[],
): Promise<readonly Difference[]> {
  const { before, after } = api
  const whole = [...before, ...requests, ...after]
  const [lefts, rights] = await Promise.all(
    [left, right].map(async (target) => {
      const answers = await answersOf(target, whole, api)
      await api.clear?.(target, answers)
      return answers.map((answer) => told(answer, api, target.words))
    }),
  )
  return requests.flatMap((request, at) => {
    const place = before.length + at
    const difference = differenceOf(request, lefts?.[place], rights?.[place])
    return difference === undefined ? [] : [difference]
  })
}

function told(answer: Answer, speech: Speech, words: Words | undefined): Answer {
  return { status: answer.status, body: normalised(answer.body, speech, words) }
}

function differenceOf(
  request: ComparedRequest,
  left: Answer | undefined,
  right: Answer | undefined,
): Difference | undefined {
  const { operation } = request
  if (left?.status !== right?.status) {
    const kind = `${operation}: status ${left?.status} → ${right?.status}`
    return { kind, request, left, right }
  }
  const place = firstDifference(left?.body, right?.body, '')
  if (place === undefined) return undefined
  return {
    kind: `${operation}: ${left?.status}${place}`,
    request,
    left: left?.body,
    right: right?.body,
  }
}

/** Seconds that pass between two servers' answers. */
const drift = 2

/** Where two values differ first; undefined where they do not. */
function firstDifference(left: unknown, right: unknown, place: string): string | undefined {
  if (Object.is(left, right)) return undefined
  if (typeof left === 'number' && typeof right === 'number' && /\.ttl$/.test(place)) {
    return Math.abs(left - right) <= drift ? undefined : place
  }
  const bothObjects =
    typeof left === 'object' && typeof right === 'object' && left !== null && right !== null
  if (!bothObjects || Array.isArray(left) !== Array.isArray(right)) return place
  for (const name of [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()) {
    const below = firstDifference(
      Reflect.get(left, name),
      Reflect.get(right, name),
      `${place}.${name}`,
    )
    if (below !== undefined) return below
  }
  return undefined
}
