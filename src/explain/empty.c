/* Keeps the room's library from being empty until its first file is there. */
typedef int dray_explain_empty;
