/** A way of writing that is hard to read. */
export interface Pattern {
  readonly name: string
  readonly matches: RegExp
  /** Better way to write the sentence. */
  readonly advice: string
}

/** Position of the first word of a sentence. */
const opening = `(?:^|(?<=[.!?][)"]? ))`
/** Position of the first word of a sentence or of a part after `;` or `:`. */
const part = `(?:^|(?<=[.;:!?][)"]? ))`
/** End of a sentence, of a part of a sentence, or of a remark in parentheses. */
const end = `(?=[.;:)]|$)`
const be = '(?:is|are|was|were)'

/**
 * Patterns for the beginning of a sentence. In a document, only the first sentence of a passage
 * counts, because a pronoun may refer to the preceding sentence. Headings never count.
 */
export const openings: readonly Pattern[] = [
  {
    name: 'a sentence that begins with What',
    matches: new RegExp(`${opening}(?:What|Whose|Whom)\\b(?![^.]*\\?)`, 'i'),
    advice: 'name the thing instead of a clause',
  },
  {
    name: 'a pronoun without a noun',
    matches: new RegExp(`${opening}(?:It|They|Its|Their|That|Those|One that|One who)\\b`, 'i'),
    advice: 'name the thing',
  },
]

export const anywhere: readonly Pattern[] = [
  {
    name: 'told',
    matches: new RegExp(
      String.raw`\b(?:told|telling|tells of)\b|${part}(?:Tells\b|Tell (?:what|whether|how|of)\b)`,
      'i',
    ),
    advice: 'return, render, report or list',
  },
  {
    name: 'is none',
    matches: new RegExp(String.raw`(?<!\bthere )\b${be} none\b`, 'i'),
    advice: 'is not a …, or has no …',
  },
  {
    name: 'is no thing',
    matches: new RegExp(
      String.raw`(?<!\bthere )\b${be} no (?!(?:good|less|longer|matter|more|one|\w+er than)\b)\w`,
      'i',
    ),
    advice: 'is not a …',
  },
  {
    name: 'none of its',
    matches: /\bnone of (?:its|his|their|an?)\b/i,
    advice: 'no …, or does not belong to …',
  },
  {
    name: 'besides at the end',
    matches: /\bbesides?(?=[.,;:)]|$)/i,
    advice: 'also, before the verb',
  },
  {
    name: 'too at the end',
    matches: /(?<!\bnot) too(?=[.;)]|$)/i,
    advice: 'also, before the verb',
  },
  {
    name: 'either at the end',
    matches: new RegExp(String.raw`\b(?:not|no|nothing|nobody)\b[^.;:]* either${end}`, 'i'),
    advice: 'neither, or a sentence of its own',
  },
  {
    name: 'inside again',
    matches: /\b(?:inside|outside) again\b/i,
    advice: 'say what runs where',
  },
  {
    name: 'the same, without as what',
    matches: new RegExp(
      String.raw`${part}The same(?=[.,;:)]|$| (?:${[
        'a|after|again|an|and|at|before|between|but|by|for|from|here|if|in|into|of|on|once|only|or',
        'over|the|there|to|under|when|where|while|with|without',
      ].join('|')})\b)|\b(?:do|does|did|say|says|mean|means) the same${end}`,
      'i',
    ),
    advice: 'say as what, or repeat the noun',
  },
  { name: 'lets', matches: /\blets\b/i, advice: 'allows, or the verb itself' },
  { name: 'wishes', matches: /\bwish(?:es|ed)?\b/i, advice: 'input, parameters, request' },
  {
    name: 'so many',
    matches: /\bso (?:many|often|much|long)\b(?! that\b| as\b)/i,
    advice: 'the number, with its unit',
  },
  {
    name: 'whoever',
    matches: /\bwho(?:m|so)?ever\b/i,
    advice: 'name who: callers, readers, clients',
  },
  {
    name: 'a clause with what as a noun',
    matches: new RegExp(
      String.raw`(?:\b(?:about|as|at|by|for|from|in|into|of|on|than|to|with)|[.,;:])` +
        String.raw` what (?:${be}|has|have|had|comes?|came|follows|goes|belongs|stands|lies)\b`,
      'i',
    ),
    advice: 'name the thing',
  },
  {
    name: 'comes of it',
    matches: /\b(?:comes?|came|becomes?|became) of\b/i,
    advice: 'the result, the outcome, the effect',
  },
  {
    name: 'a clause that ends with its verb',
    matches: new RegExp(
      String.raw`\b(?:that|which|who) (?:do|does|did|${be})(?=[.,;:)]|$)` +
        String.raw`|\b(?:where|when) (?:no|none|any)\b[^.;:,]{0,25}\b(?:do|does|did|${be})${end}`,
      'i',
    ),
    advice: 'repeat the verb or the noun',
  },
  {
    name: 'inverted order',
    matches: /\b(?:has|have|had) nothing (?:in|of|about|on) (?:it|them)\b/i,
    advice: 'subject, verb, object',
  },
]
