select a,b
,c from t1,t2 where t1.x=t2.x and not(a>b or c!=1)
union all select 1,2,-3 union (select 4
,5,6)order by 1
;
