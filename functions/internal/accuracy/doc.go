// Package accuracy holds the estimator against published runs: rows of a file go
// in, figures come out.
//
//	Read      the file -> []Row
//	jobOf     Row -> Job: the workload and the hardware as a user would state them
//	Score     []Row -> Report: every figure, both baselines, the worst rows
//	Calibrate []Row -> the fitted constants, and how they do on sources left out
//
// A row's measured columns (hours, gpu_hours, tokens_per_s_per_gpu, mfu,
// peak_mem_gb, cost_usd) are what it is scored against and never reach a job. What
// a row's notes say of the set-up becomes fields of the job by the table in
// notes.go. A row is skipped only for a flag in its notes or for an input or a
// measurement that is missing, and each reason is counted.
package accuracy
