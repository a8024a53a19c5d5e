DROP TABLE search_blocks, search_documents, search_segments, search_pending;
