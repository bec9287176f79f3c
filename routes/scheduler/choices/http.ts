import type { Choice } from '../../http/coverage.ts'
import { decided, gap } from './decided.ts'

/** Choices of the HTTP layer of jobs: requests, headers, pages, blocking reads and the dialect. */
export const httpChoices: readonly Choice[] = [
  decided(
    'scheduler-head-and-options',
    'What HEAD and OPTIONS are.',
    'Wrong methods like any other: 405 without an Allow header. Reads that the reference answers under any method are 405, too.',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'scheduler-unexpected',
    'What an error of the program itself is told.',
    '500 "internal server error".',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'scheduler-depth-of-bodies',
    'How deep members of any form may be.',
    '1000 levels; more are 400 "exceeded max depth". The reference allows 10,000.',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'scheduler-bad-path',
    'What a path is whose escapes cannot be decoded.',
    '400.',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'scheduler-empty-id',
    'What /v1/job/ without an ID is.',
    'As in the reference: reads find nothing, and a body registers the job that it names.',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'scheduler-order-of-parameters',
    'In which order bad parameters of reads are told.',
    'stale, per_page, wait, index; then meta, or before them diffs and diff_version: as in the reference.',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'scheduler-order-of-region',
    'When the region is looked at.',
    'As in the reference: in reads after the parameters, those that every read has first; in writes after the body; in both before the token.',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'scheduler-large-numbers',
    'What numbers of the query that are no 64-bit numbers are told.',
    'The same text with "value out of range" at its end; per_page has 32 bits.',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'scheduler-eval-priority',
    'The status of a bad eval_priority of DELETE.',
    '500 like other unreadable numbers; one above 100 is 400, one below 1 counts as none.',
    'behaviour/scheduler#beyond',
  ),
  decided(
    'scheduler-negative-page',
    'What a negative per_page is.',
    'No paging.',
    'behaviour/scheduler#jobs',
  ),
  decided(
    'scheduler-repeated-parameters',
    'Which of several values of one parameter counts.',
    'The first; an empty one counts as not sent.',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'scheduler-answers-without-index',
    'Which successes have no X-Sched-Index.',
    'Parsing and validating: they neither read nor write. Stopping an unknown job answers 0.',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'scheduler-seeded-index',
    'The indexes of what a world begins with: the index starts at 10, built-in namespaces and pools stand at 1.',
    'Both: the namespace default and the pools all and default have index 1; nodes and seeded ACLs are the first commit, 10.',
    'behaviour/scheduler#blocking, and behaviour/scheduler#versions',
  ),
  decided(
    'scheduler-blocking-lists',
    'The index of statuses of many jobs.',
    'The highest of jobs, allocations and deployments.',
    'behaviour/scheduler#blocking',
  ),
  decided(
    'scheduler-blocked-errors',
    'What ends a blocked read besides news and time.',
    'A refusal of what is read anew: the filter fails on a new job, or the token is gone. It is looked at only when something changes.',
    'behaviour/scheduler#blocking',
  ),
  decided(
    'scheduler-blocked-moment',
    'Which state a blocked read shows when several writes follow each other.',
    'That of the write, or of the instant, that ended its wait.',
    'behaviour/scheduler#blocking',
  ),
  decided(
    'scheduler-order-of-unusual-ids',
    'Where IDs with characters beyond the basic plane stand in lists.',
    'In the order of their UTF-16 code units, which differs from that of their bytes there alone.',
    'behaviour/scheduler#jobs',
  ),
  decided(
    'scheduler-tokens-and-namespaces',
    'Paging over all namespaces when one namespace is the start of another with a hyphen.',
    'Namespaces are compared first, so pages neither miss nor repeat jobs; the reference compares whole tokens as texts and may repeat some.',
    'behaviour/scheduler#jobs',
  ),
  decided(
    'scheduler-vendor-sources',
    'Whether the dialect changes sources of jobs.',
    'No: only the names of their members.',
    'behaviour/scheduler#vendor-names',
  ),
  decided(
    'scheduler-vendor-values',
    'Which values the dialect changes.',
    'References to attributes in constraints, affinities and spreads, drivers of tasks and nodes, providers of services, attributes of nodes, names of diffs and the texts of failures, warnings and validation.',
    'behaviour/scheduler#vendor-names',
  ),
  decided(
    'scheduler-vendor-texts-of-users',
    'What becomes of the word Sched in what users call their things.',
    'It stays as they wrote it, in failures, in warnings and in members.',
    'behaviour/scheduler#vendor-names',
  ),
  decided(
    'scheduler-vendor-times',
    'Unset times in the vendor dialect.',
    'The year 1, as in the neutral one.',
    'behaviour/scheduler#vendor-names',
  ),
  gap(
    'scheduler-missing-paths',
    "Paths of the reference's jobs that there are not.",
    'actions and action of a job: 404, or a job of that ID.',
    'behaviour/scheduler#beyond',
  ),
]
