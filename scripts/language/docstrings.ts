import type { CommentSubject } from './comments.ts'

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** Words that begin a clause or take the place of a noun. */
const clauses = wordSet(`
  Another Both He How It Its One's She So Somebody Something That Their Theirs There They Those
  What Where Who Whom Whose Which Why
`)

/** Words that neither name a thing nor say what is done. */
const prepositions = wordSet(`
  About After Against As At Before Behind Below Beneath Beside Besides Between By For From In Into Of
  On Over Since Through To Toward Towards Under Until Unless Upon When While With Within Without
`)

/**
 * Verbs that docstrings must not begin with, because verbs such as `return`, `render` and `allow`
 * are more precise.
 */
const retiredVerbs = wordSet('Lets Says Speaks Tells')

/** Words that end like a verb in the third person, but are not verbs. */
const notVerbs = wordSet(`
  ACLs APIs Actions Addresses Aliases Allocations Always Arguments Attributes Basis Bodies Bytes
  Canvas Capabilities Cases Classes Clients Clusters Columns Connections Days Defaults Deployments
  Details Digits Documents Entities Entries Errors Evaluations Events Failures Fields Files Fixtures
  Flags Functions Groups Handlers Headers Heads Hours IDs Identities Ids Instants Is Items Jobs Keys
  Kinds Labels Leases Letters Lines Links Members Messages Methods Milliseconds Minutes Modules
  Namespaces Nanoseconds Networks News Nodes Numbers Objects Operations Operators Options Pages
  Parameters Parts Paths Patterns Perhaps Permissions Policies Ports Properties Queries Replies
  Resources Roles Rows Rules Seconds Secrets Series Services Sessions Settings Shapes Shares Status
  Statuses Strings Tables Tasks Texts This Thus Times Tokens Types Units Users Values Variables
  Versions Was Weeks Words Workspaces Worlds Yes
`)

/** Verbs in the third person that rarely occur as plural nouns. */
const verbs = wordSet(`
  Adds Allows Applies Asserts Becomes Begins Brings Builds Calculates Collects Compares Compiles
  Computes Contains Converts Creates Decides Declares Decodes Decrypts Deletes Derives Describes
  Determines Disables Does Enables Encodes Encrypts Ensures Evaluates Expands Fetches Finds Follows
  Forgets Gives Goes Handles Has Hides Ignores Includes Inserts Invokes Joins Keeps Loads Makes Merges
  Normalizes Opens Parses Prints Puts Recognizes Refuses Rejects Removes Renders Replaces Resolves
  Restores Returns Revokes Sends Serves Sorts Stands Takes Throws Tries Undoes Validates Verifies Writes
`)

/**
 * Returns the problem with the first words of a docstring, and a better way to write them;
 * undefined if there is no problem.
 *
 * @param text description without comment markers, not empty
 * @param subject `either` for values that may be functions
 */
export function docstringProblem(text: string, subject: CommentSubject): string | undefined {
  const [first = '', second = ''] = text.split(/[\s,:;.!?]+/)
  if (retiredVerbs.has(first)) return `"${first}": a plainer verb, such as Returns or Renders`
  if (subject === 'method' && first === 'Whether') return undefined
  if (clauses.has(first)) return `"${first}": begin with ${expected(subject)}`
  if (subject === 'either') return undefined
  if (subject === 'function' || subject === 'method') {
    return isVerb(first, second) ? undefined : `"${first}": begin with ${expected(subject)}`
  }
  const wrong = prepositions.has(first) || isVerbOnly(first, second)
  return wrong ? `"${first}": begin with ${expected(subject)}` : undefined
}

function expected(subject: CommentSubject): string {
  return subject === 'function' || subject === 'method'
    ? 'a verb in the third person, such as Returns'
    : 'a noun'
}

function isVerb(first: string, second: string): boolean {
  if (verbs.has(first)) return true
  if (!/^[A-Z][a-z-]+[a-rt-z]e?s$/.test(first) || notVerbs.has(first)) return false
  // A word before `of` is a plural noun, except for these two verbs.
  return second !== 'of' || first === 'Disposes' || first === 'Consists'
}

/** Returns whether a word can only be a verb here, not a plural noun. */
function isVerbOnly(first: string, second: string): boolean {
  if (verbs.has(first)) return !/^(?:of|that|which|in|by|with|for|and|or|from)$/.test(second)
  return isVerb(first, second) && /^(?:a|an|the|whether|it|its)$/.test(second)
}
