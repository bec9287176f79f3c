import type { Choice } from '../http/coverage.ts'

const journal = 'behaviour/program#journal'
const faults = 'behaviour/program#faults'
const events = 'behaviour/program#events'
const reports = 'behaviour/program#reports'
const commands = 'behaviour/program#commands'

/** Choices about what sees, disturbs and tells of the requests of all services. */
export const watchingChoices: readonly Choice[] = [
  {
    id: 'journal-order',
    about: 'In which order the journal has requests that are answered late.',
    choice: 'In the order of their answers; names are in the order of arrival.',
    evidence: 'extension',
    where: journal,
  },
  {
    id: 'journal-unknown-bodies',
    about: 'What is secret in a request that no operation takes.',
    choice:
      'Everything in its body where the secrets API was asked, nothing elsewhere; a body that cannot be read is one fingerprint where its operation has secrets.',
    evidence: 'extension',
    where: journal,
  },
  {
    id: 'near-miss-order',
    about: 'Which request comes nearest to a matcher.',
    choice:
      'The one with the fewest differences, another path counting half more; of equals the latest.',
    evidence: 'extension',
    where: journal,
  },
  {
    id: 'fault-status-text',
    about: 'What a fault with a status says that gives no texts.',
    choice:
      "No errors in the secrets API's list, the status's title on the platform, its phrase in the mesh and the scheduler.",
    evidence: 'extension',
    where: faults,
  },
  {
    id: 'preset-length',
    about: 'How long presets last for which nobody says.',
    choice:
      '`any-unavailable` and `any-truncated` hit five requests, `any-reset-after-commit` one write, `mesh-index-reset` one read, `scheduler-index-conflict` one registration, each by its parameter `answers`; all others last until they are undone.',
    evidence: 'extension',
    where: faults,
  },
  {
    id: 'preset-waits',
    about: 'What match, when and times mean to a preset that changes options or pushes.',
    choice:
      'With any of them it waits, as a fault of no latency, for the first request that they hit; from then on it holds for all requests. Presets of faults and options change the options at once.',
    evidence: 'extension',
    where: faults,
  },
  {
    id: 'preset-undone',
    about: 'What undoing a preset leaves.',
    choice:
      'What somebody has changed since stays, leases that were lost and jobs that somebody else registered too. Applied several times it is undone as a whole, and undoing what is not there is 204. DELETE `/faults` and a reset of the faults undo all presets.',
    evidence: 'extension',
    where: faults,
  },
  {
    id: 'preset-lease-lost',
    about: 'Whose leases `secrets-lease-lost` ends.',
    choice:
      "Those of the first request that fits and whose token holds leases; those that hold none are passed over. The token's own lease stays.",
    evidence: 'extension',
    where: faults,
  },
  {
    id: 'report-retries',
    about: 'How often a report says that a client retried.',
    choice:
      'As often as the same request came up to the first that was served; else as often as it came at all.',
    evidence: 'extension',
    where: reports,
  },
  {
    id: 'report-left-behind',
    about: 'Which tokens and leases a report calls left behind.',
    choice:
      'Those that hold now and were not there when the journal was cleared; batch tokens, which nobody can revoke, are none.',
    evidence: 'extension',
    where: reports,
  },
  {
    id: 'report-junit',
    about: 'What fails in the JUnit form of a report.',
    choice:
      'Refused and unmatched requests, faults after which the client gave up, and what is left behind; operations and other faults pass.',
    evidence: 'extension',
    where: reports,
  },
  {
    id: 'event-numbers',
    about: 'What the ids of events are.',
    choice:
      'A million for each request that was answered, plus one for each event since; what happens to a world as such has that of the event before.',
    evidence: 'extension',
    where: events,
  },
  {
    id: 'event-resuming',
    about: 'What a client is told of that comes back with `Last-Event-ID`.',
    choice:
      'Requests, their changes and their faults that the journal still has, and the moves of the clock and changes that no request made, which are kept as long as the requests around them.',
    evidence: 'extension',
    where: events,
  },
  {
    id: 'event-slow-reader',
    about: 'When a reader of a stream is cut.',
    choice:
      'When more than 1 MiB waits for it beyond what it was given at the beginning; so are readers of event streams and followed files of the scheduler.',
    evidence: 'extension',
    where: events,
  },
  {
    id: 'rehearsal-time-limit',
    about: 'How long a run of `rehearse` may take.',
    choice:
      'Five minutes unless `--time-limit` says otherwise; then all its processes get SIGTERM, two seconds later SIGKILL, and the run counts as failed.',
    evidence: 'extension',
    where: commands,
  },
  {
    id: 'rehearsal-hits',
    about: 'Which requests a rehearsed failure hit.',
    choice:
      'Those to which a fault of the preset was applied; of a preset that has none, those with a status that no request for the same operation had undisturbed.',
    evidence: 'extension',
    where: commands,
  },
  {
    id: 'rehearsal-impossible',
    about: 'A preset that cannot be in a world, because an engine is missing, say.',
    choice: 'It is told as not tried, and does not count for `--fail-under`.',
    evidence: 'extension',
    where: commands,
  },
]
