import type { Choice } from '../../http/coverage.ts'
import { decided } from './decided.ts'

/** Choices about what can be done with jobs. */
export const actionChoices: readonly Choice[] = [
  decided(
    'stable-of-next-version',
    'Which next versions begin as stable.',
    'Those that stopping and scaling make, if the one before was; registering, reverting and launching begin without.',
    'behaviour/scheduler#versions',
  ),
  decided(
    'version-of-children',
    'The first version of a child that is launched or dispatched.',
    "Its parent's, as a new job keeps the version that it is sent with.",
    'behaviour/scheduler#versions',
  ),
  decided(
    'scale-keeps-source',
    'Which source the version has that scaling makes.',
    'That of the version before, in both dialects.',
    'behaviour/scheduler#versions',
  ),
  decided(
    'one-commit-for-each-action',
    'How many commits scaling and dispatching take.',
    'One, with job, evaluation and event; the reference takes two or three.',
    'behaviour/scheduler#beyond',
  ),
  decided(
    'scale-refusals',
    'What else scaling refuses.',
    'What the reference does: system jobs beyond one, counts beyond the bounds or below zero, a count beside an error, another job or namespace as target, another JobModifyIndex than the job has. Twenty events are kept for each group.',
    'behaviour/scheduler#beyond',
  ),
  decided(
    'force-of-idle-launcher',
    'What forcing a periodic job is told that is stopped or not enabled.',
    '500 "force launch for job "x" failed: can\'t force run non-tracked job "x" (default)".',
    'behaviour/scheduler#beyond',
  ),
  decided(
    'force-twice-in-a-second',
    'What two forced launches within a second make.',
    'One child with two versions: children are named by the second.',
    'behaviour/scheduler#beyond',
  ),
  decided(
    'dispatch-refusals',
    'What else dispatching refuses.',
    'Priorities outside of 1 to 100 and blanks in the prefix, with the texts of validation.',
    'behaviour/scheduler#beyond',
  ),
  decided(
    'registering-over-children',
    'What registering over a child does.',
    'Over a dispatched one it is refused: "field \'Dispatched\' is read-only"; a launched one is no child any more.',
    'behaviour/scheduler#versions',
  ),
  decided(
    'stable-twice',
    'What marking a version stable that is so already writes.',
    'Nothing; the index is the last one.',
    'behaviour/scheduler#beyond',
  ),
  decided(
    'region-of-jobs',
    'What a job of another region is.',
    '500 "No path to region"; stored jobs have the region of the cluster.',
    'behaviour/scheduler#conventions',
  ),
  decided(
    'plan-details',
    'What a plan tells beside differences.',
    'The next launch in UTC, null for none; the evaluations that a registration would make, which are undone.',
    'behaviour/scheduler#beyond',
  ),
]
